//! The model as a screen.

use ratatui::{
    Frame,
    layout::{Alignment, Constraint, Layout, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Clear, Paragraph, Row as TableRow, Table},
};

use unicode_width::UnicodeWidthStr as _;

use super::model::{Feed, Mode, Model, Name, Opened, Row, Stand, Text, Tone, Topic};
use crate::{output, words};

const CHOICES_WIDTH: u16 = 30;
/// The columns of the list.
const COLUMNS: [&str; 7] = [
    "NAME", "RUNTIME", "PROJECT", "SYNC", "HEALTH", "REVISION", "MESSAGE",
];
/// The columns in the order in which they get their width, until there is none left.
const PRECEDENCE: [usize; 7] = [0, 4, 3, 1, 2, 5, 6];
/// In the order in which pods get them.
const PODS: [Color; 6] = [
    Color::Cyan,
    Color::Green,
    Color::Magenta,
    Color::Yellow,
    Color::Blue,
    Color::Red,
];
const HELP: &str = "\
  Up Down PgUp PgDn Home End   move; also k j g G
  Enter                        details; Escape goes back
  d                            what differs between the cluster and Git
  l                            what its pods write, live; after moving away G goes on with it
  Left Right                   to the side, where lines are long
  /                            filter by words of name, namespace, runtime, project and states
  f                            choose by health, sync state, runtime and project
  o  O                         next order; the other way round
  s                            sync
  r  R                         refresh; refresh and render again
  Escape                       drop the filter, then the choices
  q  Ctrl-C                    end

  Any key goes back.";

/// How a terminal shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colors {
    Shown,
    /// Nobody wants them, and states are told by their words alone.
    Hidden,
}

/// Draws the model, and tells it how much fits on a page.
pub(super) fn draw(frame: &mut Frame<'_>, model: &mut Model, address: &str, colors: Colors) {
    let [head, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    model.page = usize::from(body.height.saturating_sub(1)).max(1);
    frame.render_widget(
        Paragraph::new(title(model, address)).style(reversed()),
        head,
    );
    frame.render_widget(Paragraph::new(footer(model)).style(reversed()), foot);
    match &model.mode {
        Mode::Opened => opened(frame, body, model, colors),
        Mode::Help => frame.render_widget(Paragraph::new(HELP), body),
        Mode::Choices(place) => with_choices(frame, body, model, Some(*place), colors),
        Mode::List | Mode::Filter(_) | Mode::Confirm(..) if model.chooses() => {
            with_choices(frame, body, model, None, colors);
        }
        Mode::List | Mode::Filter(_) | Mode::Confirm(..) => list(frame, body, model, colors),
    }
    if let Mode::Confirm(action, name) = &model.mode {
        confirm(frame, body, &format!("{} {}?", action.word(), name.whole()));
    }
}

fn reversed() -> Style {
    Style::new().add_modifier(Modifier::REVERSED)
}

fn title(model: &Model, address: &str) -> String {
    let feed = match model.feed {
        Feed::Loading => "loading",
        Feed::Live => "live",
        Feed::Cut => "cut, connecting again",
    };
    let what = match model.opened() {
        Some(opened) => title_of(opened, model.page + 1),
        None => title_of_list(model),
    };
    format!(" {what} | {address} | {feed}")
}

fn title_of(opened: &Opened, height: usize) -> String {
    let (word, lines) = (opened.topic.word(), opened.length());
    let name = opened.name.whole();
    let name = output::clean(&name);
    let from = opened.first(height).saturating_add(1).min(lines);
    format!("{word} of {name}, line {from} of {lines}")
}

fn title_of_list(model: &Model) -> String {
    let (shown, place) = model.position();
    let place = if shown == 0 { 0 } else { place + 1 };
    let order = if model.reversed {
        format!("{}, reversed", model.order.word())
    } else {
        model.order.word().to_owned()
    };
    let total = model.total();
    format!("{place}/{shown} of {total} applications, by {order}")
}

fn footer(model: &Model) -> String {
    match &model.mode {
        Mode::Filter(_) => format!(
            " /{}\u{2588}  Enter keeps it, Escape drops it",
            model.filter
        ),
        Mode::Choices(_) => " Enter chooses, Escape goes back".to_owned(),
        Mode::Confirm(..) => " y does it, any other key does not".to_owned(),
        Mode::Opened if !model.notice.is_empty() => format!(" {}", model.notice),
        Mode::Opened => {
            " Escape back  Enter details  d diff  l logs  s sync  r refresh  G end".to_owned()
        }
        Mode::List | Mode::Help if !model.notice.is_empty() => format!(" {}", model.notice),
        Mode::List | Mode::Help => {
            let filter = match model.filter.as_str() {
                "" => String::new(),
                filter => format!("  [{filter}]"),
            };
            format!(
                " ? help  / filter  f choose  o order  Enter details  d diff  l logs  s sync  r refresh  q end{filter}"
            )
        }
    }
}

fn with_choices(
    frame: &mut Frame<'_>,
    area: Rect,
    model: &Model,
    place: Option<usize>,
    colors: Colors,
) {
    let [left, right] =
        Layout::horizontal([Constraint::Length(CHOICES_WIDTH), Constraint::Fill(1)]).areas(area);
    choices(frame, left, model, place);
    list(frame, right, model, colors);
}

fn choices(frame: &mut Frame<'_>, area: Rect, model: &Model, place: Option<usize>) {
    let mut lines = Vec::new();
    let (mut last, mut at) = (None, 0);
    for (index, choice) in model.choices().into_iter().enumerate() {
        if last != Some(choice.field) {
            lines.push(Line::from(Span::styled(
                choice.field.word(),
                Modifier::BOLD,
            )));
            last = Some(choice.field);
        }
        let mark = if choice.chosen { "x" } else { " " };
        let value = words::or_dash(&choice.value).to_owned();
        let text = format!("[{mark}] {value:<18.18} {:>5}", choice.count);
        let style = if place == Some(index) {
            at = lines.len();
            reversed()
        } else {
            Style::new()
        };
        lines.push(Line::from(Span::styled(text, style)));
    }
    let from = (at + 1).saturating_sub(usize::from(area.height));
    let lines: Vec<_> = lines.into_iter().skip(from).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

fn list(frame: &mut Frame<'_>, area: Rect, model: &Model, colors: Colors) {
    let height = usize::from(area.height.saturating_sub(1));
    let (shown, place) = model.position();
    // The selected line is on the page that it belongs to, so that lines move only from page to page.
    let from = (place / height.max(1) * height).min(shown);
    let lines: Vec<_> = model
        .lines(from, height)
        .map(|(name, row, selected)| (line(name, row), selected))
        .collect();
    let widths = widths(lines.iter().map(|(cells, _)| cells), area.width);
    let rows = lines.into_iter().map(|(cells, selected)| {
        let cells = with_width(cells, widths);
        let row = TableRow::new(cells.map(|text| cell(&text, colors)));
        if selected { row.style(reversed()) } else { row }
    });
    let heading =
        TableRow::new(with_width(COLUMNS, widths)).style(Style::new().add_modifier(Modifier::BOLD));
    let widths = with_width(widths, widths).map(Constraint::Length);
    let table = Table::new(rows, widths).header(heading);
    frame.render_widget(table, area);
}

fn line(name: &Name, row: &Row) -> [String; COLUMNS.len()] {
    let sync = match row.operation {
        "" => row.sync,
        _ => "Syncing",
    };
    let stale_since = row.stale_since.as_ref();
    [
        name.name.clone(),
        name.runtime.clone(),
        row.project.clone(),
        words::with_staleness(sync, stale_since),
        words::with_staleness(row.health, stale_since),
        row.revision.clone(),
        row.message.clone(),
    ]
}

/// The columns that have a width: one without would still cost a space.
fn with_width<T>(
    columns: [T; COLUMNS.len()],
    widths: [u16; COLUMNS.len()],
) -> impl Iterator<Item = T> {
    let columns = columns.into_iter().zip(widths);
    columns.filter(|(_, width)| *width > 0).map(|(it, _)| it)
}

/// The width of each column on a screen of this width.
fn widths<'a>(
    lines: impl Iterator<Item = &'a [String; COLUMNS.len()]>,
    screen: u16,
) -> [u16; COLUMNS.len()] {
    let width = |text: &str| u16::try_from(text.width()).unwrap_or(u16::MAX);
    let mut wanted = COLUMNS.map(width);
    for line in lines {
        for (wanted, text) in wanted.iter_mut().zip(line) {
            *wanted = (*wanted).max(width(text));
        }
    }
    let mut remaining = screen;
    for column in PRECEDENCE {
        wanted[column] = wanted[column].min(remaining);
        remaining = remaining.saturating_sub(wanted[column] + 1);
    }
    wanted
}

/// A cell in the colours of tables: green for good, yellow for on its way or stale, red for bad.
fn cell(text: &str, colors: Colors) -> Span<'static> {
    let color = match words::split_staleness(text) {
        _ if colors == Colors::Hidden => Color::Reset,
        ("Synced" | "Healthy", false) => Color::Green,
        ("OutOfSync" | "Progressing" | "Suspended" | "Syncing", _) => Color::Yellow,
        ("Degraded" | "Missing", _) => Color::Red,
        (_, true) => Color::Yellow,
        (_, false) => Color::Reset,
    };
    Span::styled(output::clean(text).into_owned(), color)
}

fn opened(frame: &mut Frame<'_>, area: Rect, model: &Model, colors: Colors) {
    let Some(opened) = model.opened() else { return };
    let lines: Vec<_> = match (opened.stand, opened.topic) {
        (Stand::Loading, Topic::Logs) => vec![Line::raw("waiting for what its pods write")],
        (Stand::Loading, Topic::Details | Topic::Diff) => vec![Line::raw("loading")],
        (Stand::There, _) => opened
            .page(usize::from(area.height))
            .map(|line| toned(line, opened.aside, colors))
            .collect(),
    };
    frame.render_widget(Paragraph::new(lines), area);
}

/// The colours of `app diff` and `app logs`.
fn toned(line: &Text, aside: usize, colors: Colors) -> Line<'static> {
    let text: String = line.text.chars().skip(aside).collect();
    let style = match line.tone {
        _ if colors == Colors::Hidden => Style::new(),
        Tone::Plain => Style::new(),
        Tone::Added => Style::new().fg(Color::Green),
        Tone::Removed => Style::new().fg(Color::Red),
        Tone::Place => Style::new().fg(Color::Cyan),
        Tone::Heading => Style::new().add_modifier(Modifier::BOLD),
        Tone::Pod(number) => Style::new().fg(PODS[number % PODS.len()]),
    };
    Line::styled(text, style)
}

fn confirm(frame: &mut Frame<'_>, area: Rect, question: &str) {
    let width = u16::try_from(question.chars().count()).unwrap_or(u16::MAX);
    let width = width.saturating_add(4).min(area.width);
    let height = 3.min(area.height);
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    frame.render_widget(Clear, place);
    let question = Paragraph::new(question).alignment(Alignment::Center);
    frame.render_widget(question.block(Block::bordered()), place);
}

#[cfg(test)]
mod tests;
