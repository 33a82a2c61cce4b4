use super::*;

fn group(objects: &[u64]) -> pb::ReporterGroup {
    let reporters = objects.iter().map(|objects| pb::Reporter {
        objects: *objects,
        ..pb::Reporter::default()
    });
    pb::ReporterGroup {
        reporters: reporters.collect(),
        objects: objects.iter().sum(),
        objects_complete: true,
        ..pb::ReporterGroup::default()
    }
}

fn shares(objects: &[u64]) -> Vec<(String, String)> {
    let group = group(objects);
    objects.iter().map(|it| share(&group, *it)).collect()
}

fn texts(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(one, other): &(&str, &str)| ((*one).to_owned(), (*other).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn a_share_is_told_beside_an_even_one() {
    assert_eq!(
        shares(&[60, 40]),
        texts(&[("60.0 %", "+20.0 %"), ("40.0 %", "-20.0 %")])
    );
    assert_eq!(shares(&[7]), texts(&[("100.0 %", "+0.0 %")]));
    assert_eq!(shares(&[0, 0]), texts(&[("-", "-"), ("-", "-")]));
}

#[test]
fn what_moved_last_and_what_was_not_counted_is_told_in_words() {
    let quiet = group(&[1]);
    assert!(notes(&quiet).is_empty());
    let moved = pb::ReporterGroup {
        objects_complete: false,
        last_move: Some(pb::ReporterMove {
            instance: "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001".to_owned(),
            kind: pb::ReporterMoveKind::Lost.into(),
            moved_at: None,
            objects: 12,
        }),
        ..quiet
    };
    let notes = notes(&moved);
    assert!(notes[0].starts_with("5ad0f1d1a001 was not heard of any more"));
    assert!(notes[0].ends_with("12 objects moved"));
    assert_eq!(notes[1], "counted over 1 objects, there are more");
}
