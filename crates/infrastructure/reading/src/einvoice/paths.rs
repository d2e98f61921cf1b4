//! Finds elements by a path of names. `A|B/C` is a C inside an A or a B.

use super::xml::Element;

/// An element and the way to it.
#[derive(Clone, Debug)]
pub(super) struct Found<'e> {
    pub(super) element: &'e Element,
    pub(super) path: String,
}

impl<'e> Found<'e> {
    pub(super) fn root(element: &'e Element) -> Self {
        Self { element, path: format!("/{}", element.name) }
    }

    /// All elements at a path, in the order of the document.
    pub(super) fn all(&self, path: &str) -> Vec<Found<'e>> {
        let mut found = vec![self.clone()];
        for names in path.split('/') {
            found = found.iter().flat_map(|parent| parent.children(names)).collect();
        }
        found
    }

    /// The first element at a path that has text.
    pub(super) fn first(&self, path: &str) -> Option<Found<'e>> {
        self.all(path).into_iter().find(|found| !found.element.text.trim().is_empty())
    }

    /// The children with one of these names. Several of the same name are numbered.
    fn children(&self, names: &str) -> Vec<Found<'e>> {
        let is_named = |child: &&Element| names.split('|').any(|name| name == child.name);
        let children: Vec<&Element> = self.element.children.iter().filter(is_named).collect();
        let path = |number: usize, name: &str| match children.len() {
            1 => format!("{}/{name}", self.path),
            _ => format!("{}/{name}[{number}]", self.path),
        };
        let numbered = children.iter().zip(1..);
        numbered.map(|(child, number)| Found { element: child, path: path(number, &child.name) }).collect()
    }
}
