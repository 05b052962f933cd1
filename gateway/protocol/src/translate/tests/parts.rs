//! Parts: text, files and data in every form, numbers, and what 0.3 cannot say of them.

use super::*;

fn assert_same_part(forms: [&str; 3]) {
    assert_same(forms, part);
}

#[test]
fn text_and_files_have_a_form_in_each_dialect() {
    for forms in [
        [
            r#"{"kind":"text","text":"hi"}"#,
            r#"{"text":"hi"}"#,
            r#"{"text":"hi"}"#,
        ],
        [
            r#"{"kind":"text","text":"","metadata":{"a":[1,{}]}}"#,
            r#"{"text":"","metadata":{"a":[1,{}]}}"#,
            r#"{"text":"","metadata":{"a":[1,{}]}}"#,
        ],
        [
            r#"{"kind":"file","file":{"bytes":"AAEC","mimeType":"a/b","name":"x"}}"#,
            r#"{"file":{"fileWithBytes":"QUFFQw==","mimeType":"a/b","name":"x"}}"#,
            r#"{"raw":"AAEC","mediaType":"a/b","filename":"x"}"#,
        ],
        [
            r#"{"kind":"file","file":{"uri":"https://x.example/f"},"metadata":{}}"#,
            r#"{"file":{"fileWithUri":"https://x.example/f"},"metadata":{}}"#,
            r#"{"url":"https://x.example/f","metadata":{}}"#,
        ],
        [
            r#"{"kind":"file","file":{"bytes":""}}"#,
            r#"{"file":{"fileWithBytes":""}}"#,
            r#"{"raw":""}"#,
        ],
    ] {
        assert_same_part(forms);
    }
}

#[test]
fn data_that_is_no_object_is_wrapped_for_the_old_version() {
    assert_same_part([
        r#"{"kind":"data","data":{"a":null}}"#,
        r#"{"data":{"data":{"a":null}}}"#,
        r#"{"data":{"a":null}}"#,
    ]);
    for value in ["null", "[1,null]", "1.50", "\"text\"", "false"] {
        assert_same_part([
            format!(r#"{{"kind":"data","data":{{"value":{value}}},"metadata":{{"data_part_compat":true}}}}"#),
            format!(r#"{{"data":{{"data":{{"value":{value}}}}},"metadata":{{"data_part_compat":true}}}}"#),
            format!(r#"{{"data":{value}}}"#),
        ].each_ref().map(String::as_str));
    }
    assert_same_part([
        r#"{"kind":"data","data":{"value":7},"metadata":{"k":"v","data_part_compat":true}}"#,
        r#"{"data":{"data":{"value":7}},"metadata":{"k":"v","data_part_compat":true}}"#,
        r#"{"data":7,"metadata":{"k":"v"}}"#,
    ]);
}

#[test]
fn the_mark_of_wrapped_data_is_read_with_care() {
    let marked = r#"{"data":{"value":1},"metadata":{"data_part_compat":true}}"#;
    let (old, _) = part((V1, V03), marked);
    assert_eq!(old["data"], read(r#"{"value":1}"#));
    for (old, new) in [
        (
            r#"{"kind":"data","data":{"other":1},"metadata":{"data_part_compat":true}}"#,
            r#"{"data":{"other":1},"metadata":{"data_part_compat":true}}"#,
        ),
        (
            r#"{"kind":"data","data":{"value":1,"other":2},"metadata":{"data_part_compat":true}}"#,
            r#"{"data":{"value":1,"other":2},"metadata":{"data_part_compat":true}}"#,
        ),
        (
            r#"{"kind":"data","data":{"value":1},"metadata":{"data_part_compat":"yes"}}"#,
            r#"{"data":{"value":1},"metadata":{"data_part_compat":"yes"}}"#,
        ),
        (r#"{"kind":"data","data":[1]}"#, r#"{"data":[1]}"#),
        (r#"{"kind":"data","data":null}"#, r#"{"data":null}"#),
    ] {
        assert_eq!(part((V03, V1), old), (read(new), vec![]), "{old}");
    }
}

#[test]
fn c022_numbers_keep_their_spelling() {
    let user = r#"{"n":1,"id":9007199254740993,"huge":123456789012345678901,"d":0.10,"e":1E2}"#;
    for (from, to) in [(V03, V1), (V1, V03), (V03, V03Proto), (V03Proto, V1)] {
        let data = match from {
            V03 => format!(r#"{{"kind":"data","data":{user},"metadata":{user}}}"#),
            V03Proto => format!(r#"{{"data":{{"data":{user}}},"metadata":{user}}}"#),
            V1 => format!(r#"{{"data":{user},"metadata":{user}}}"#),
        };
        let (converted, _) = part((from, to), &data);
        let text = converted.to_string();
        let expected = user.replace("1E2", "1e2");
        let found = text.replace("1E2", "1e2").replace("1e+2", "1e2");
        assert_eq!(found.matches(&expected).count(), 2, "{text}");
    }
}

#[test]
fn labels_of_text_and_data_are_lost_to_the_old_version() {
    let labels = r#""filename":"f","mediaType":"a/b""#;
    for to in [V03, V03Proto] {
        for content in [r#""text":"t""#, r#""data":{}"#] {
            let (converted, lost) = part((V1, to), &format!("{{{content},{labels}}}"));
            assert_eq!(lost, ["part_filename", "part_media_type"]);
            let (bare, _) = part((V1, to), &format!("{{{content}}}"));
            assert_eq!(converted, bare);
        }
    }
}

#[test]
fn file_names_of_the_wrong_form_are_read() {
    for (dialect, old) in [
        (
            V03,
            r#"{"kind":"file","file":{"fileWithBytes":"AAEC","mimeType":"a/b"}}"#,
        ),
        (V03, r#"{"file":{"data":"AAEC","mime_type":"a/b"}}"#),
        (
            V03,
            r#"{"kind":"file","file":{"bytes":"AAEC","uri":null,"mimeType":"a/b"}}"#,
        ),
        (V03Proto, r#"{"file":{"bytes":"AAEC","mimeType":"a/b"}}"#),
        (
            V03Proto,
            r#"{"file":{"file_with_bytes":"AAEC","mime_type":"a/b"}}"#,
        ),
    ] {
        let expected = read(r#"{"raw":"AAEC","mediaType":"a/b"}"#);
        assert_eq!(part((dialect, V1), old), (expected, vec![]), "{old}");
    }
    let old = r#"{"kind":"file","file":{"fileWithUri":"https://x.example"}}"#;
    assert_eq!(
        part((V03, V1), old).0,
        read(r#"{"url":"https://x.example"}"#)
    );
}

#[test]
fn kinds_are_guessed_and_contradictions_refused() {
    for (old, new, lost) in [
        (r#"{"text":"t"}"#, r#"{"text":"t"}"#, vec![]),
        (r#"{"kind":"novel","text":"t"}"#, r#"{"text":"t"}"#, vec![]),
        (
            r#"{"type":"text","text":"t"}"#,
            r#"{"text":"t"}"#,
            vec!["unknown_member"],
        ),
        (
            r#"{"kind":"text","text":"t","data":{}}"#,
            r#"{"text":"t"}"#,
            vec!["unknown_member"],
        ),
        (
            r#"{"kind":"text","text":"t","data":null}"#,
            r#"{"text":"t"}"#,
            vec![],
        ),
    ] {
        assert_eq!(part((V03, V1), old), (read(new), lost), "{old}");
    }
    for (dialect, text) in [
        (V1, r#"{"text":"t","url":"u"}"#),
        (V1, r#"{"metadata":{}}"#),
        (V1, r#"{"raw":"%"}"#),
        (V1, r#"{"text":1}"#),
        (V03, r#"{"kind":"text"}"#),
        (V03, r#"{"kind":"file","file":{}}"#),
        (V03, r#"{"kind":"file","file":{"bytes":"not base64!"}}"#),
        (V03, r#"{"kind":"file","file":"AAEC"}"#),
        (V03, r#""text""#),
    ] {
        let to = if dialect == V1 { V03 } else { V1 };
        let error = Translator::new(dialect, to)
            .result(
                Operation::SendMessage,
                read(&message_with(dialect, text)),
                &mut Losses::default(),
            )
            .unwrap_err();
        assert_eq!(error.kind, crate::ErrorKind::InvalidAgentResponse, "{text}");
        assert!(error.message.contains("parts[0]"), "{error}");
    }
}

#[test]
fn bytes_of_the_protobuf_form_follow_the_peer() {
    let new = r#"{"raw":"AAEC"}"#;
    for (file_bytes, field) in [
        (FileBytes::Detect, "QUFFQw=="),
        (FileBytes::Base64Text, "QUFFQw=="),
        (FileBytes::Raw, "AAEC"),
    ] {
        let settings = Settings {
            file_bytes,
            ..Settings::default()
        };
        let translator = Translator::new(V1, V03Proto).with_settings(settings);
        let mut losses = Losses::default();
        let mut convert = |translator: Translator, value: Value| {
            translator
                .result(Operation::SendMessage, value, &mut losses)
                .unwrap()
        };
        let new = read(&message_with(V1, new));
        let old = convert(translator, new.clone());
        let file = &old["message"]["content"][0]["file"];
        assert_eq!(file["fileWithBytes"], field, "{file_bytes:?}");
        assert_eq!(convert(translator.reversed(), old), new, "{file_bytes:?}");
    }
}
