//! robots.txt (RFC 9309): which pages of a site programs may read.

use std::time::Duration;

/// The name by which sites address Quire.
const NAME: &str = "quire";
/// A longer pause than this is not respected: a site that asks for it gets this one.
const MAX_DELAY: Duration = Duration::from_secs(30);

/// The rules of a site for Quire.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Robots {
    rules: Vec<Rule>,
    /// The pause between two requests that the site asks for.
    pub(super) delay: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    is_allowed: bool,
    pattern: String,
}

/// The rules for one or more user agents.
#[derive(Default)]
struct Group {
    agents: Vec<String>,
    robots: Robots,
}

impl Robots {
    /// No page may be read: the site could not be asked.
    pub(super) fn nothing_allowed() -> Self {
        Self { rules: vec![Rule { is_allowed: false, pattern: "/".to_owned() }], delay: None }
    }

    /// The rules for Quire, else those for everybody.
    pub(super) fn parse(text: &str) -> Self {
        let groups = groups(text);
        let of = |agent: &str| {
            let mut matching =
                groups.iter().filter(|group| group.agents.iter().any(|name| name == agent)).peekable();
            matching.peek()?;
            // Several groups for the same agent count as one.
            Some(matching.fold(Self::default(), |mut all, group| {
                all.rules.extend(group.robots.rules.iter().cloned());
                all.delay = all.delay.max(group.robots.delay);
                all
            }))
        };
        of(NAME).or_else(|| of("*")).unwrap_or_default()
    }

    /// Whether a page may be read. Its path includes the query. The longest rule decides; of two, the one that allows.
    pub(super) fn allows(&self, path: &str) -> bool {
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, path));
        matching.max_by_key(|rule| (rule.pattern.len(), rule.is_allowed)).is_none_or(|rule| rule.is_allowed)
    }
}

fn groups(text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    // The names of a group stand together, above its rules.
    let mut in_names = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((key, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "user-agent" => {
                if !in_names {
                    groups.push(Group::default());
                }
                in_names = true;
                if let Some(group) = groups.last_mut() {
                    group.agents.push(product(value));
                }
            }
            key @ ("allow" | "disallow") => {
                in_names = false;
                // An empty rule says nothing.
                if let Some(group) = groups.last_mut().filter(|_| !value.is_empty()) {
                    group.robots.rules.push(Rule { is_allowed: key == "allow", pattern: value.to_owned() });
                }
            }
            "crawl-delay" => {
                in_names = false;
                let delay = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                if let Some(group) = groups.last_mut() {
                    group.robots.delay = delay.map(|delay| delay.min(MAX_DELAY));
                }
            }
            _ => {}
        }
    }
    groups
}

/// The name of a user agent without its version.
fn product(agent: &str) -> String {
    let name = agent.split(['/', ' ']).next().unwrap_or_default();
    name.to_ascii_lowercase()
}

/// Whether a pattern matches a path: `*` is any text, `$` at the end is the end of the path.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return !is_whole || rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    if is_whole { rest.ends_with(last) } else { rest.contains(last) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_longest_rule_decides() {
        let robots = Robots::parse(
            "# comment\nUser-agent: *\nDisallow: /private\nAllow: /private/open # end\nDisallow: /*.pdf$\nDisallow: /*?sort=\n\
             Disallow:\nSitemap: https://example.com/map.xml\nCrawl-delay: 2.5\n",
        );
        for (path, allowed) in [
            ("/", true),
            ("/private", false),
            ("/private/x", false),
            ("/private/open/x", true),
            ("/a/file.pdf", false),
            ("/a/file.pdf?x", true),
            ("/list?sort=name", false),
        ] {
            assert_eq!(robots.allows(path), allowed, "{path}");
        }
        assert_eq!(robots.delay, Some(Duration::from_millis(2500)));
        assert!(!Robots::nothing_allowed().allows("/x"));
    }

    #[test]
    fn the_rules_for_quire_replace_those_for_everybody() {
        let text = "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: Quire/1.0\nDisallow: /a\n\nuser-agent: quire\ndisallow: /b";
        let robots = Robots::parse(text);
        assert!(robots.allows("/") && !robots.allows("/a") && !robots.allows("/b"));
        assert!(!Robots::parse("User-agent: *\nDisallow: /").allows("/x"));
        assert!(Robots::parse("<html>not found</html>").allows("/x"));
        assert!(Robots::parse("User-agent: *\nCrawl-delay: 9999").delay == Some(MAX_DELAY));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([a-zA-Z-]{0,12}:? ?[ -~]{0,20}\n){0,10}", path in "/[ -~]{0,30}") {
            let _ = Robots::parse(&text).allows(&path);
        }

        #[test]
        fn a_pattern_without_wildcards_matches_by_prefix(pattern in "/[a-z/]{0,6}", path in "/[a-z/]{0,9}") {
            prop_assert_eq!(matches(&pattern, &path), path.starts_with(&pattern));
        }
    }
}
