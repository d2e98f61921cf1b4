//! The file of sentences: groups as TOML tables, `R001 = "A sentence."` in each.

/// The last group: requirements that no test proves yet.
const UNTESTED: &str = "Without a test yet";

/// All requirements, in the order of the file.
pub struct Requirements {
    pub groups: Vec<Group>,
}

pub struct Group {
    pub title: String,
    pub requirements: Vec<Requirement>,
}

pub struct Requirement {
    pub id: String,
    pub sentence: String,
    /// Where it stands in the file.
    pub line: usize,
}

impl Requirements {
    /// Reads the file; an error has its line.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut groups: Vec<Group> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(title) = line.strip_prefix("[\"").and_then(|rest| rest.strip_suffix("\"]")) {
                groups.push(Group { title: title.to_owned(), requirements: Vec::new() });
                continue;
            }
            let wrong = || (number, "write `R001 = \"A sentence.\"` below a line `[\"Group\"]`".to_owned());
            let (id, sentence) = line.split_once(" = ").ok_or_else(wrong)?;
            let sentence =
                sentence.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).ok_or_else(wrong)?;
            if sentence.contains(['"', '\\']) {
                return Err((number, "write the sentence without double quotes and backslashes".to_owned()));
            }
            if !sentence.ends_with('.') {
                return Err((number, format!("{id} needs a sentence that ends with a full stop")));
            }
            if groups.iter().flat_map(|group| &group.requirements).any(|known| known.id == id) {
                return Err((number, format!("{id} stands twice")));
            }
            let (id, sentence) = (id.to_owned(), sentence.to_owned());
            let group = groups.last_mut().ok_or_else(wrong)?;
            group.requirements.push(Requirement { id, sentence, line: number });
        }
        Ok(Self { groups })
    }

    /// Those that a test must prove.
    pub fn tested(&self) -> impl Iterator<Item = &Requirement> {
        self.groups.iter().filter(|group| !group.is_untested()).flat_map(|group| &group.requirements)
    }

    /// Those that no test proves yet.
    pub fn untested(&self) -> impl Iterator<Item = &Requirement> {
        self.groups.iter().filter(|group| group.is_untested()).flat_map(|group| &group.requirements)
    }
}

impl Group {
    pub fn is_untested(&self) -> bool {
        self.title == UNTESTED
    }
}

#[cfg(test)]
mod tests {
    use super::Requirements;

    #[test]
    fn groups_and_sentences_are_read() {
        let read = Requirements::parse(
            "# Why.\n[\"Runs\"]\nR001 = \"One.\"\n\n[\"Without a test yet\"]\nR002 = \"Two.\"\n",
        );
        let read = read.unwrap_or_else(|(line, message)| panic!("{line}: {message}"));
        let tested: Vec<_> =
            read.tested().map(|one| (one.id.as_str(), one.sentence.as_str(), one.line)).collect();
        assert_eq!(tested, [("R001", "One.", 3)]);
        assert_eq!(read.untested().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["R002"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let wrong = |text: &str| Requirements::parse(text).err().map(|(line, _)| line);
        assert_eq!(wrong("R001 = \"One.\"\n"), Some(1));
        assert_eq!(wrong("[\"A\"]\nR001 = One.\n"), Some(2));
        assert_eq!(wrong("[\"A\"]\nR001 = \"One\"\n"), Some(2));
        assert_eq!(wrong("[\"A\"]\nR001 = \"One.\"\nR001 = \"Two.\"\n"), Some(3));
    }
}
