//! Made tables with known cells: ruled and not, with merged heads, with cells of two lines, over page breaks.

use proptest::prelude::*;

use super::super::{Line, Word};
use super::*;

const HEIGHT: f32 = 10.0;
const CHARACTER: f32 = 5.0;

/// Words at a place, each as wide as its characters.
fn line(text: &str, x: f32, y: f32) -> Line {
    let mut at = x;
    let mut words = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        #[allow(clippy::cast_precision_loss)]
        let width = word.chars().count() as f32 * CHARACTER;
        words.push(Word::new(word, Rect { x0: at, y0: y, x1: at + width, y1: y + HEIGHT }));
        at += width + 3.0;
    }
    Line { words, opens_paragraph: false }
}

/// A table to be drawn: where each column begins, and whether it is aligned at its right end.
struct Drawing {
    lefts: Vec<f32>,
    widths: Vec<f32>,
    right_aligned: Vec<bool>,
    is_ruled: bool,
    row_height: f32,
}

impl Drawing {
    fn of(columns: usize, is_ruled: bool) -> Self {
        let widths: Vec<f32> = (0..columns).map(|column| if column == 0 { 130.0 } else { 70.0 }).collect();
        let lefts = widths.iter().scan(40.0, |x, width| {
            let left = *x;
            *x += width + 12.0;
            Some(left)
        });
        let lefts = lefts.collect();
        let right_aligned = (0..columns).map(|column| column > 0).collect();
        Self { lefts, widths, right_aligned, is_ruled, row_height: 16.0 }
    }

    fn draw(&self, grid: &[Vec<String>], top: f32) -> Page {
        let mut page = Page { width: 595.0, height: 842.0, ..Page::default() };
        for (row, texts) in grid.iter().enumerate() {
            #[allow(clippy::cast_precision_loss)]
            let y = top + row as f32 * self.row_height;
            for (column, text) in texts.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
                let mut drawn = line(text, self.lefts[column], y);
                if self.right_aligned[column] {
                    let end = drawn.words.last().unwrap().rect.x1;
                    let shift = self.lefts[column] + self.widths[column] - end;
                    drawn.words.iter_mut().for_each(|word| {
                        word.rect.x0 += shift;
                        word.rect.x1 += shift;
                    });
                }
                page.lines.push(drawn);
            }
        }
        if self.is_ruled {
            self.rule(&mut page, grid.len(), top);
        }
        page
    }

    #[allow(clippy::cast_precision_loss)]
    fn rule(&self, page: &mut Page, rows: usize, top: f32) {
        let (left, top) = (self.lefts[0] - 6.0, top - 3.0);
        let right = self.lefts.last().unwrap() + self.widths.last().unwrap() + 6.0;
        let bottom = top + rows as f32 * self.row_height;
        for row in 0..=rows {
            let y = top + row as f32 * self.row_height;
            page.rulings.push(Rect { x0: left, y0: y, x1: right, y1: y + 0.5 });
        }
        for x in self.lefts.iter().map(|x| x - 6.0).chain([right]) {
            page.rulings.push(Rect { x0: x, y0: top, x1: x + 0.5, y1: bottom });
        }
    }
}

fn item_rows(rows: usize) -> Vec<Vec<String>> {
    let names =
        ["Pan de centeno", "Café", "Tornillo M8 cincado", "Consulta general", "Aceite", "Hilo de sutura"];
    let head = ["Artículo", "Cantidad", "Precio", "IVA", "Importe"].map(str::to_owned).to_vec();
    let body = (0..rows).map(|row| {
        let name = names[row % names.len()].to_owned();
        vec![
            name,
            (1 + row % 9).to_string(),
            format!("{}.50", row + 3),
            "21 %".to_owned(),
            format!("{},{:02}", row * 7 + 1, row),
        ]
    });
    std::iter::once(head).chain(body).collect()
}

/// The F1 of the cells: the same text in the same row and column.
fn f1(found: &Table, truth: &[Vec<String>]) -> f64 {
    let wanted = truth.iter().flatten().filter(|text| !text.is_empty()).count();
    let is_right =
        |cell: &&TableCell| truth.get(cell.row).and_then(|row| row.get(cell.column)) == Some(&cell.text);
    let right = found.cells.iter().filter(is_right).count();
    f64::from(u32::try_from(2 * right).unwrap())
        / f64::from(u32::try_from(wanted + found.cells.len()).unwrap())
}

fn prose(page: &mut Page, top: f32) {
    for row in 0..4u8 {
        page.lines.push(line(
            "Gracias por su compra en nuestra tienda de siempre",
            40.0,
            top + f32::from(row) * 12.0,
        ));
    }
}

#[test]
fn cells_of_ruled_and_unruled_tables_are_found() {
    for is_ruled in [false, true] {
        for columns in 3..=5 {
            for rows in [2, 5, 12, 30] {
                let grid: Vec<Vec<String>> =
                    item_rows(rows).into_iter().map(|row| row[..columns].to_vec()).collect();
                let mut page = Drawing::of(columns, is_ruled).draw(&grid, 120.0);
                prose(&mut page, 30.0);
                let tables = Table::find(&[page]);
                assert_eq!(tables.len(), 1, "{is_ruled} {columns} {rows}");
                assert_eq!((tables[0].columns, tables[0].rows, tables[0].head_rows), (columns, rows + 1, 1));
                let f1 = f1(&tables[0], &grid);
                assert!(f1 >= 0.95, "cell F1 {f1:.3}: {is_ruled} {columns} {rows}");
            }
        }
    }
}

#[test]
fn empty_cells_and_cells_of_two_lines_keep_their_places() {
    let mut grid = item_rows(6);
    grid[2][3] = String::new();
    grid[4][1] = String::new();
    for is_ruled in [false, true] {
        let tables = Table::find(&[Drawing::of(5, is_ruled).draw(&grid, 100.0)]);
        assert!(f1(&tables[0], &grid) >= 0.99, "{is_ruled} {:?}", tables[0].grid());
    }
    let mut page = Drawing { row_height: 40.0, ..Drawing::of(5, true) }.draw(&item_rows(3), 100.0);
    page.lines.push(line("sin sal", 40.0, 153.0));
    let tables = Table::find(&[page]);
    assert_eq!(tables[0].grid()[1][0], "Pan de centeno sin sal");
}

/// A block of labels in two columns above a table is no part of it. It was before: their columns became one grid.
#[test]
fn labels_above_a_table_are_no_part_of_it() {
    let grid = item_rows(4);
    let mut page = Drawing::of(5, false).draw(&grid, 160.0);
    for (row, labels) in
        [("Paciente: Ana", "Informe: 5512"), ("Fecha: 07/02/2024", "Muestra: Suero")].iter().enumerate()
    {
        let y = 118.0 + 14.0 * f32::from(u8::try_from(row).unwrap());
        page.lines.push(line(labels.0, 40.0, y));
        page.lines.push(line(labels.1, 240.0, y));
    }
    let tables = Table::find(&[page]);
    assert_eq!(tables.len(), 1, "{:?}", tables.iter().map(Table::grid).collect::<Vec<_>>());
    assert!(f1(&tables[0], &grid) >= 0.95, "{:?}", tables[0].grid());
}

#[test]
fn a_second_line_without_lines_around_it_belongs_to_its_cell() {
    let mut grid = item_rows(4);
    for row in &mut grid {
        row.rotate_right(1);
    }
    let mut drawing = Drawing { row_height: 26.0, right_aligned: vec![false; 5], ..Drawing::of(5, false) };
    // The texts are in the second column, which is the wide one.
    drawing.lefts = vec![40.0, 100.0, 240.0, 320.0, 400.0];
    let mut page = drawing.draw(&grid, 100.0);
    page.lines.push(line("integral", drawing.lefts[1], 100.0 + 26.0 + 11.0));
    let tables = Table::find(&[page]);
    assert_eq!(tables[0].grid()[1][1], "Pan de centeno integral", "{:?}", tables[0].grid());
}

#[test]
fn a_head_over_several_columns_is_merged() {
    for is_ruled in [false, true] {
        let grid: Vec<Vec<String>> = item_rows(8);
        let drawing = Drawing::of(5, is_ruled);
        let mut page = drawing.draw(&grid, 116.0);
        if is_ruled {
            page.rulings.iter_mut().filter(|line| line.y1 - line.y0 > 20.0).for_each(|line| {
                // The lines inside the merged head are missing.
                let is_inner =
                    [2, 3, 4].iter().any(|column| (line.x0 - (drawing.lefts[*column] - 6.0)).abs() < 1.0);
                line.y0 -= if is_inner { 0.0 } else { 16.0 };
            });
            page.rulings.push(Rect { x0: 34.0, y0: 97.0, x1: 600.0, y1: 97.5 });
        }
        page.lines.push(line(
            "Valores del pedido por unidad y total con todos los impuestos",
            drawing.lefts[1] + 20.0,
            100.0,
        ));
        page.lines.push(line("Producto", drawing.lefts[0], 100.0));
        let tables = Table::find(&[page]);
        let merged = tables[0].cells.iter().find(|cell| cell.text.starts_with("Valores")).unwrap();
        assert_eq!((merged.row, merged.column, merged.column_span), (0, 1, 4), "{is_ruled} {merged:?}");
        assert_eq!(tables[0].head_rows, 2, "{is_ruled}");
        let mut head = vec![String::new(); 5];
        head[0] = "Producto".to_owned();
        head[1].clone_from(&merged.text);
        let truth = [vec![head], grid].concat();
        assert!(f1(&tables[0], &truth) >= 0.95, "{is_ruled} {}", f1(&tables[0], &truth));
    }
}

#[test]
fn a_table_goes_on_after_a_page_break_and_its_repeated_head_is_left_out() {
    for is_ruled in [false, true] {
        let grid = item_rows(60);
        let drawing = Drawing::of(5, is_ruled);
        let first = drawing.draw(&grid[..42], 120.0);
        let second: Vec<Vec<String>> = grid[..1].iter().chain(&grid[42..]).cloned().collect();
        let tables = Table::find(&[first, drawing.draw(&second, 60.0)]);
        assert_eq!(tables.len(), 1, "{is_ruled}");
        assert_eq!(tables[0].rows, 61);
        assert!(f1(&tables[0], &grid) >= 0.95, "{is_ruled} {}", f1(&tables[0], &grid));
        assert_eq!(tables[0].cells.last().unwrap().page, 2);
    }
}

#[test]
fn prose_lists_and_two_columns_of_text_are_no_tables() {
    let mut page = Page { width: 595.0, height: 842.0, ..Page::default() };
    prose(&mut page, 30.0);
    for row in 0..20u8 {
        let y = 100.0 + f32::from(row) * 12.0;
        page.lines.push(line("una columna de texto que sigue y sigue hasta aquí", 40.0, y));
        page.lines.push(line("otra columna de texto que también sigue y sigue", 320.0, y));
    }
    for row in 0..5u8 {
        page.lines.push(line("Nombre:", 40.0, 500.0 + f32::from(row) * 12.0));
        page.lines.push(line("Ana Pérez", 140.0, 500.0 + f32::from(row) * 12.0));
    }
    assert_eq!(Table::find(&[page]), []);
}

proptest! {
    /// Any words and rulings give tables whose cells are within them.
    #[test]
    fn any_page_gives_tables_with_cells_inside(
        words in prop::collection::vec((0.0f32..500.0, 0.0f32..800.0, "[a-z0-9]{1,6}"), 0..120),
        rulings in prop::collection::vec((0.0f32..500.0, 0.0f32..800.0, 0.0f32..300.0, any::<bool>()), 0..30),
    ) {
        let mut page = Page { width: 595.0, height: 842.0, ..Page::default() };
        page.lines = words.iter().map(|(x, y, text)| line(text, *x, *y)).collect();
        page.rulings = rulings.iter().map(|(x, y, length, is_across)| {
            if *is_across { Rect { x0: *x, y0: *y, x1: x + length, y1: y + 0.5 } } else { Rect { x0: *x, y0: *y, x1: x + 0.5, y1: y + length } }
        }).collect();
        let count: usize = page.lines.iter().map(|line| line.words.len()).sum();
        let tables = Table::find(&[page]);
        let mut used = 0;
        for table in tables {
            for cell in &table.cells {
                prop_assert!(cell.row + cell.row_span <= table.rows && cell.column + cell.column_span <= table.columns);
                used += cell.text.split(' ').count();
            }
        }
        prop_assert!(used <= count, "no word is in two cells");
    }
}
