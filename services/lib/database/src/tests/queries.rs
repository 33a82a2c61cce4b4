use super::*;

over_each_database!(
    what_was_written_is_read_back,
    what_is_absent_is_read_back_as_absent,
    names_are_sorted_by_their_bytes,
    a_transaction_that_is_dropped_leaves_nothing,
    a_list_of_values_is_asked_for_at_once,
    globs_take_every_other_character_as_itself,
    a_nul_in_a_text_does_no_harm,
    of_many_that_write_at_once_none_is_lost,
    the_time_is_told_in_milliseconds_and_goes_on_within_a_transaction,
    tables_of_a_version_that_differs_are_refused_in_one_line_and_left_alone,
    tables_of_a_newer_version_are_refused_in_one_line,
);

async fn what_was_written_is_read_back(subject: &Subject) {
    let mut transaction = subject.database.begin().await.unwrap();
    let written = query(
        "INSERT INTO things (name, bytes, weight, heavy) VALUES ($1, $2, $3, $4) RETURNING id",
    )
    .bind("one")
    .bind(&[0_u8, 1, 255][..])
    .bind(i64::MAX)
    .bind(true)
    .fetch_one(&mut transaction)
    .await
    .unwrap();
    let id: i64 = written.try_get("id").unwrap();
    transaction.commit().await.unwrap();
    let row = query("SELECT * FROM things WHERE id = $1")
        .bind(id)
        .fetch_one(&subject.database)
        .await
        .unwrap();
    assert_eq!(row.try_get::<&str>("name").unwrap(), "one");
    assert_eq!(row.try_get::<&[u8]>("bytes").unwrap(), [0, 1, 255]);
    assert_eq!(row.try_get::<i64>("weight").unwrap(), i64::MAX);
    assert!(row.try_get::<bool>("heavy").unwrap());
    assert!(row.get_parsed::<u32>("name").is_err());
}

async fn the_time_is_told_in_milliseconds_and_goes_on_within_a_transaction(subject: &Subject) {
    let millis = |time: std::time::SystemTime| {
        let since = time.duration_since(std::time::UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap()
    };
    let before = millis(std::time::SystemTime::now());
    let mut transaction = subject.database.begin().await.unwrap();
    let first = transaction.now().await.unwrap();
    let later = loop {
        let now = transaction.now().await.unwrap();
        if now > first {
            break now;
        }
    };
    let after = millis(std::time::SystemTime::now());
    // The server is on this machine; times are truncated to milliseconds.
    assert!(
        before - 1 <= first && later <= after + 1,
        "{before} {first} {later} {after}"
    );
}

async fn what_is_absent_is_read_back_as_absent(subject: &Subject) {
    subject.add("one").await.unwrap();
    let mut transaction = subject.database.begin().await.unwrap();
    let touched = query("UPDATE things SET weight = $1, bytes = $2")
        .bind(None::<i64>)
        .bind(None::<Vec<u8>>)
        .execute(&mut transaction)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let row = query("SELECT weight, bytes FROM things")
        .fetch_one(&subject.database)
        .await
        .unwrap();
    assert_eq!(touched, 1);
    assert_eq!(row.try_get::<Option<i64>>(0).unwrap(), None);
    assert_eq!(row.try_get::<Option<Vec<u8>>>(1).unwrap(), None);
}

async fn names_are_sorted_by_their_bytes(subject: &Subject) {
    for name in ["b", "a-b", "B", "ab", "a_", "ä"] {
        subject.add(name).await.unwrap();
    }
    assert_eq!(subject.names().await, ["B", "a-b", "a_", "ab", "b", "ä"]);
}

async fn a_transaction_that_is_dropped_leaves_nothing(subject: &Subject) {
    let mut transaction = subject.database.begin().await.unwrap();
    let insert = query("INSERT INTO things (name, heavy) VALUES ('gone', $1)").bind(true);
    insert.execute(&mut transaction).await.unwrap();
    drop(transaction);
    subject.add("kept").await.unwrap();
    assert!(subject.add("kept").await.is_err());
    assert_eq!(subject.names().await, ["kept"]);
}

async fn a_list_of_values_is_asked_for_at_once(subject: &Subject) {
    for name in ["a", "b", "c"] {
        subject.add(name).await.unwrap();
    }
    let found = async |names: &[&'static str]| {
        let mut query = query("SELECT name FROM things WHERE name <> $1 AND name IN ").bind("x");
        query
            .push_list(names.iter().copied())
            .push(" ORDER BY name");
        query.fetch_all(&subject.database).await.unwrap().len()
    };
    assert_eq!(found(&["a", "c", "d"]).await, 2);
    assert_eq!(found(&[]).await, 0);
}

async fn globs_take_every_other_character_as_itself(subject: &Subject) {
    let names = [
        "prod-a", "prod_a", "prodXa", "PROD-a", "100%", "1000", "[x]", "x", r"a\b", "ü",
    ];
    for name in names {
        subject.add(name).await.unwrap();
    }
    let cases: [(&str, &[&str]); 8] = [
        ("prod-*", &["prod-a"]),
        ("prod?a", &["prod-a", "prodXa", "prod_a"]),
        ("prod_a", &["prod_a"]),
        ("100%", &["100%"]),
        ("[x]", &["[x]"]),
        (r"a\b", &[r"a\b"]),
        ("?", &["x", "ü"]),
        ("", &[]),
    ];
    for (pattern, expected) in cases {
        let mut query = query("SELECT name FROM things WHERE name");
        query.push_glob(pattern).push(" ORDER BY name");
        let rows = query.fetch_all(&subject.database).await.unwrap();
        let found: Vec<String> = rows.iter().map(|row| row.try_get(0).unwrap()).collect();
        assert_eq!(found, expected, "{pattern}");
    }
}

async fn a_nul_in_a_text_does_no_harm(subject: &Subject) {
    subject.add("a\0b").await.unwrap();
    assert_eq!(subject.names().await, ["a\u{FFFD}b"]);
}

async fn of_many_that_write_at_once_none_is_lost(subject: &Subject) {
    subject.add("one").await.unwrap();
    let add = async || {
        let mut transaction = subject.database.begin().await.unwrap();
        let read = query("SELECT coalesce(weight, 0) AS weight FROM things");
        let row = read.fetch_one(&mut transaction).await.unwrap();
        let weight: i64 = row.try_get(0).unwrap();
        let write = query("UPDATE things SET weight = $1").bind(weight + 1);
        write.execute(&mut transaction).await.unwrap();
        transaction.commit().await.unwrap();
    };
    futures::future::join_all((0..20).map(|_| add())).await;
    let row = query("SELECT weight FROM things").fetch_one(&subject.database);
    assert_eq!(row.await.unwrap().try_get::<i64>(0).unwrap(), 20);
}

async fn tables_of_a_version_that_differs_are_refused_in_one_line_and_left_alone(
    subject: &Subject,
) {
    subject.add("kept").await.unwrap();
    let changed = [Migration {
        what: "first tables",
        sqlite: "CREATE TABLE others (id BIGINT PRIMARY KEY);",
        postgres: "CREATE TABLE others (id BIGINT PRIMARY KEY);",
    }];
    let refused = subject.reopen(&changed).await.unwrap_err().to_string();
    let expected = "was written by another causeway, whose step 1 to its tables differs";
    assert!(refused.contains(expected), "{refused}");
    assert!(refused.contains(subject.shown()), "{refused}");
    assert!(refused.contains("start that one, "), "{refused}");
    assert!(!refused.contains('\n'), "{refused}");
    assert_eq!(subject.names().await, ["kept"]);
}

async fn tables_of_a_newer_version_are_refused_in_one_line(subject: &Subject) {
    let [first] = TABLES;
    let later = Migration {
        what: "more tables",
        sqlite: "CREATE TABLE others (id BIGINT PRIMARY KEY);",
        postgres: "CREATE TABLE others (id BIGINT PRIMARY KEY);",
    };
    subject.reopen(&[first, later]).await.unwrap();
    let refused = subject.reopen(&TABLES).await.unwrap_err().to_string();
    let expected = "was written by a newer causeway (schema 2, this one knows 1): start that one, ";
    assert!(refused.contains(expected), "{refused}");
    assert!(refused.contains(subject.shown()), "{refused}");
    assert!(!refused.contains('\n'), "{refused}");
}
