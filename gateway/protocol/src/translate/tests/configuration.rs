//! The configuration of a message: who waits, and how much history comes back.

use super::*;

/// Converts the configuration of a message, `-` standing for none.
fn convert(
    translator: Translator,
    operation: Operation,
    text: &str,
) -> (String, Vec<&'static str>) {
    let (role, parts) = match translator.from {
        V03 => ("user", r#""parts":[{"kind":"text","text":"x"}]"#),
        V03Proto => ("ROLE_USER", r#""content":[{"text":"x"}]"#),
        V1 => ("ROLE_USER", r#""parts":[{"text":"x"}]"#),
    };
    let configuration = match text {
        "-" => String::new(),
        text => format!(r#","configuration":{text}"#),
    };
    let request =
        format!(r#"{{"message":{{"messageId":"m","role":"{role}",{parts}}}{configuration}}}"#);
    let (converted, lost) = params_with(translator, operation, &request);
    let converted = converted.get("configuration").map(Value::to_string);
    (converted.unwrap_or_else(|| "-".to_owned()), lost)
}

fn sent(pair: (Dialect, Dialect), text: &str) -> String {
    convert(
        Translator::new(pair.0, pair.1),
        Operation::SendMessage,
        text,
    )
    .0
}

#[test]
fn c020_the_wait_flag_is_inverted() {
    let waits = r#"{"blocking":true}"#;
    let returns = r#"{"blocking":false}"#;
    for (pair, from, to) in [
        ((V1, V03), "-", waits),
        ((V1, V03), "{}", waits),
        ((V1, V03), r#"{"returnImmediately":false}"#, waits),
        ((V1, V03), r#"{"returnImmediately":true}"#, returns),
        ((V1, V03Proto), "-", waits),
        ((V1, V03Proto), "{}", waits),
        ((V1, V03Proto), r#"{"returnImmediately":false}"#, waits),
        ((V1, V03Proto), r#"{"returnImmediately":true}"#, returns),
        ((V03, V1), waits, "{}"),
        ((V03, V1), returns, r#"{"returnImmediately":true}"#),
        ((V03, V1), "{}", "{}"),
        ((V03, V1), "-", "-"),
        ((V03, V03Proto), "-", waits),
        ((V03, V03Proto), "{}", waits),
        ((V03, V03Proto), waits, waits),
        ((V03, V03Proto), returns, returns),
        ((V03Proto, V1), waits, "{}"),
        ((V03Proto, V1), returns, r#"{"returnImmediately":true}"#),
        ((V03Proto, V1), "{}", r#"{"returnImmediately":true}"#),
        ((V03Proto, V1), "-", r#"{"returnImmediately":true}"#),
        ((V03Proto, V03), "{}", returns),
        ((V03Proto, V03), "-", returns),
        ((V03Proto, V03), waits, waits),
        ((V03Proto, V03), returns, returns),
    ] {
        assert_eq!(sent(pair, from), to, "{pair:?} {from}");
    }
}

#[test]
fn what_an_unset_flag_means_can_be_set() {
    for (unset_blocking, text, expected) in [
        (UnsetBlocking::Wait, "-", "-"),
        (UnsetBlocking::Wait, "{}", "{}"),
        (UnsetBlocking::Return, "-", r#"{"returnImmediately":true}"#),
        (UnsetBlocking::Return, r#"{"blocking":true}"#, "{}"),
    ] {
        let settings = Settings {
            unset_blocking,
            ..Settings::default()
        };
        for from in [V03, V03Proto] {
            let translator = Translator::new(from, V1).with_settings(settings);
            let (found, _) = convert(translator, Operation::SendMessage, text);
            assert_eq!(found, expected, "{from:?} {unset_blocking:?} {text}");
        }
    }
}

#[test]
fn a_stream_asks_for_no_wait() {
    for (pair, from, to) in [
        ((V1, V03), "-", "-"),
        ((V1, V03Proto), "-", "-"),
        ((V03Proto, V1), "{}", "{}"),
        (
            (V1, V03),
            r#"{"returnImmediately":true}"#,
            r#"{"blocking":false}"#,
        ),
    ] {
        let translator = Translator::new(pair.0, pair.1);
        let (found, _) = convert(translator, Operation::SendStreamingMessage, from);
        assert_eq!(found, to, "{pair:?} {from}");
    }
}

#[test]
fn zero_history_is_all_in_the_protobuf_form_and_none_elsewhere() {
    let asked = |pair: (Dialect, Dialect), text: &str| {
        let translator = Translator::new(pair.0, pair.1);
        let configuration = format!(r#"{{"historyLength":{text}}}"#);
        let (found, lost) = convert(translator, Operation::SendMessage, &configuration);
        (read(&found)["historyLength"].as_i64(), lost)
    };
    for (pair, text, expected, lost) in [
        ((V03, V1), "0", Some(0), vec![]),
        ((V1, V03), "0", Some(0), vec![]),
        ((V1, V03), "\"7\"", Some(7), vec![]),
        ((V03, V1), "null", None, vec![]),
        ((V03, V1), "7", Some(7), vec![]),
        ((V1, V03), "null", None, vec![]),
        ((V03Proto, V1), "null", None, vec![]),
        ((V03Proto, V03), "0", None, vec![]),
        ((V03Proto, V03), "7", Some(7), vec![]),
        ((V03, V03Proto), "null", None, vec![]),
        ((V03, V03Proto), "7", Some(7), vec![]),
        ((V03, V03Proto), "0", Some(1), vec!["history_length_zero"]),
        ((V03Proto, V1), "0", None, vec![]),
        ((V03Proto, V1), "7", Some(7), vec![]),
        ((V1, V03Proto), "7", Some(7), vec![]),
        ((V1, V03Proto), "null", None, vec![]),
        ((V1, V03Proto), "0", Some(1), vec!["history_length_zero"]),
    ] {
        assert_eq!(asked(pair, text), (expected, lost), "{pair:?} {text}");
    }
}

#[test]
fn modes_and_webhook_travel_along() {
    let old = r#"{"acceptedOutputModes":["text/plain"],"pushNotificationConfig":
        {"id":"p","url":"https://h.example","token":"tk","authentication":{"schemes":["Bearer"],"credentials":"c"}},
        "historyLength":2,"blocking":false}"#;
    let proto = r#"{"acceptedOutputModes":["text/plain"],"pushNotification":
        {"id":"p","url":"https://h.example","token":"tk","authentication":{"schemes":["Bearer"],"credentials":"c"}},
        "historyLength":2,"blocking":false}"#;
    let new = r#"{"acceptedOutputModes":["text/plain"],"taskPushNotificationConfig":
        {"id":"p","url":"https://h.example","token":"tk","authentication":{"scheme":"Bearer","credentials":"c"}},
        "historyLength":2,"returnImmediately":true}"#;
    assert_same([old, proto, new], |(from, to), text| {
        let translator = Translator::new(from, to);
        let (found, lost) = convert(translator, Operation::SendMessage, text);
        (read(&found), lost)
    });
}

#[test]
fn the_task_of_an_inline_webhook_is_lost() {
    let new =
        r#"{"taskPushNotificationConfig":{"taskId":"t","tenant":"x","url":"https://h.example"}}"#;
    let (found, lost) = convert(Translator::new(V1, V03), Operation::SendMessage, new);
    let expected = r#"{"pushNotificationConfig":{"url":"https://h.example"},"blocking":true}"#;
    assert_eq!(read(&found), read(expected));
    assert_eq!(lost, ["tenant", "inline_push_task_id"]);
}
