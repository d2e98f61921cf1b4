//! The page as Markdown, from the description.

use std::fmt::Write as _;

use serde_json::Value;

use super::curl;
use super::fields::{self, Row, resolved};
use crate::rest::openapi::ROLE;
use crate::rest::openapi::errors::CODES;

/// The whole page.
pub(super) fn page(document: &Value) -> String {
    let info = &document["info"];
    let mut page = format!(
        "# {} {}\n\n{}\n\n{}\n\n",
        text(&info["title"]),
        text(&info["version"]),
        text(&info["description"]),
        "The same as OpenAPI 3.1: [/openapi.json](/openapi.json). [/errors](/errors) explains each error code."
    );
    let bearer = &document["components"]["securitySchemes"]["bearer"];
    let _ = writeln!(page, "Authenticate with `Authorization: Bearer …`. {}\n", text(&bearer["description"]));
    contents(document, &mut page);
    for tag in list(&document["tags"]) {
        let _ = writeln!(page, "## {}\n\n{}\n", text(&tag["name"]), text(&tag["description"]));
        for (method, path, operation) in operations(document, text(&tag["name"])) {
            describe(method, path, operation, &mut page);
        }
    }
    page
}

fn contents(document: &Value, page: &mut String) {
    page.push_str("<h2 id=\"contents\">Contents</h2>\n\n");
    for tag in list(&document["tags"]) {
        let _ = writeln!(page, "**{}**\n", text(&tag["name"]));
        for (method, path, operation) in operations(document, text(&tag["name"])) {
            let (id, summary) = (text(&operation["operationId"]), text(&operation["summary"]));
            let _ = writeln!(page, "- [{} `{path}`](#{id}): {summary}", method.to_uppercase());
        }
        page.push('\n');
    }
}

/// The operations of a tag by path.
fn operations<'d>(document: &'d Value, tag: &'d str) -> impl Iterator<Item = (&'d str, &'d str, &'d Value)> {
    let items = document["paths"].as_object().into_iter().flatten();
    let all = items.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| (method.as_str(), path.as_str(), operation))
    });
    all.filter(move |(_, _, operation)| operation["tags"][0] == tag)
}

fn describe(method: &str, path: &str, operation: &Value, page: &mut String) {
    let id = text(&operation["operationId"]);
    let _ = writeln!(
        page,
        "<section class=\"operation\" id=\"{id}\">\n<h3><span class=\"method {method}\">{}</span> <code>{path}</code></h3>\n",
        method.to_uppercase()
    );
    let role = operation[ROLE].as_str().map(|role| format!(" Needs the role `{role}`."));
    let _ = writeln!(page, "{}{}\n", text(&operation["summary"]), role.unwrap_or_default());
    if let Some(more) = operation["description"].as_str() {
        let _ = writeln!(page, "{more}\n");
    }
    parameters(operation, page);
    body(operation, page);
    responses(operation, page);
    errors(operation, page);
    let _ = writeln!(page, "```sh\n{}\n```\n\n</section>\n", curl::example(method, path, operation));
}

fn parameters(operation: &Value, page: &mut String) {
    let all = list(&operation["parameters"]);
    if all.is_empty() {
        return;
    }
    page.push_str("| parameter | in | takes | meaning |\n|---|---|---|---|\n");
    for parameter in all {
        let needed = if parameter["required"] == true { "" } else { " (optional)" };
        let _ = writeln!(
            page,
            "| `{}` | {}{needed} | {} | {} |",
            text(&parameter["name"]),
            text(&parameter["in"]),
            cell(&fields::kind(&parameter["schema"])),
            cell(text(&parameter["description"])),
        );
    }
    page.push('\n');
}

fn body(operation: &Value, page: &mut String) {
    for (media_type, content) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        let _ = writeln!(page, "The body is `{media_type}`:\n");
        table(&fields::rows(&content["schema"]), page);
    }
}

fn responses(operation: &Value, page: &mut String) {
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        if !resolved(answer)[CODES].is_null() {
            continue;
        }
        let types: Vec<_> = answer["content"].as_object().into_iter().flatten().collect();
        let names: Vec<_> = types.iter().map(|(name, _)| format!("`{name}`")).collect();
        let _ = writeln!(page, "**{status}** {} {}\n", text(&answer["description"]), names.join(" or "));
        for (_, content) in types {
            let rows = fields::rows(&content["schema"]);
            if !rows.is_empty() {
                page.push_str("<details><summary>Response body</summary>\n\n");
                table(&rows, page);
                page.push_str("</details>\n\n");
            }
        }
        headers(answer, page);
    }
}

fn headers(answer: &Value, page: &mut String) {
    for (name, header) in answer["headers"].as_object().into_iter().flatten() {
        // Headers of every response are not repeated.
        if header["$ref"].is_null() {
            let _ = writeln!(page, "- `{name}`: {}", text(&header["description"]));
        }
    }
    page.push('\n');
}

fn errors(operation: &Value, page: &mut String) {
    page.push_str("<details><summary>Errors</summary>\n\n| status | codes | meaning |\n|---|---|---|\n");
    for (status, answer) in operation["responses"].as_object().into_iter().flatten() {
        let answer = resolved(answer);
        let codes: Vec<_> = list(&answer[CODES]).iter().filter_map(Value::as_str).collect();
        if codes.is_empty() {
            continue;
        }
        let links: Vec<_> = codes.iter().map(|code| format!("[{code}](/errors/{code})")).collect();
        let _ =
            writeln!(page, "| {status} | {} | {} |", links.join(", "), cell(text(&answer["description"])));
    }
    page.push_str("\n</details>\n\n");
}

fn table(rows: &[Row], page: &mut String) {
    page.push_str("| member | takes | meaning |\n|---|---|---|\n");
    for row in rows {
        let needed = if row.required { " (required)" } else { "" };
        let _ = writeln!(page, "| `{}`{needed} | {} | {} |", row.name, cell(&row.kind), cell(&row.meaning));
    }
    page.push('\n');
}

/// Escapes text for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
