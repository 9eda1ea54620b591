//! The text of an error as the service words and wraps it.
//!
//! Owns the forms of the text, the sentences of the service that are known from recorded responses, and what is ours
//! beside them. Does not own status codes.

use model::Json;

/// The end of every message; clients expect a version there.
const VERSION: &str = "Microsoft.Azure.Documents.Common/2.14.0";

/// The address of a replica in the form of the service. There are no replicas here, so that all its numbers are zero.
const REPLICA: &str = "/apps/00000000-0000-0000-0000-000000000000/services/00000000-0000-0000-0000-000000000000\
                       /partitions/00000000-0000-0000-0000-000000000000/replicas/0p/";

/// How the text of an error is wrapped, which follows from who would answer in the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageForm {
    /// The gateway: the text alone.
    Plain,
    /// A replica: the text in a list, the address of the replica behind it.
    Replica,
    /// The query compiler, which is part of the gateway: the text is JSON already.
    Compiler,
    /// A replica that runs a query: the text is JSON already, the address of the replica behind it.
    Execution,
}

/// A sentence of the service. Messages here begin with it and go on with what is ours: names, values, the way out.
struct Sentence {
    text: &'static str,
    /// What the service appends.
    link: &'static str,
    form: MessageForm,
}

const MISSING: &str = "Resource Not Found.";
const EXISTS: &str = "Resource with specified id, name, or unique index already exists.";
const CHANGED: &str = "One of the specified pre-condition is not met.";
const ITEM_MISSING: &str = "Entity with the specified id does not exist in the system.";
const ITEM_EXISTS: &str = "Entity with the specified id already exists in the system.";
const ITEM_CHANGED: &str =
    "Operation cannot be performed because one of the specified precondition is not met.";

/// What the gateway of the service says about items instead of what the replica said. It does so for a create, a read,
/// an upsert, a replace and a delete; after a patch, and for every other resource, the words of the replica arrive.
const REPLACED: [(&str, &str); 3] =
    [(ITEM_MISSING, MISSING), (ITEM_EXISTS, EXISTS), (ITEM_CHANGED, CHANGED)];

/// The sentences with a form or a link of their own, from recorded responses.
const SENTENCES: [Sentence; 16] = [
    replica(MISSING, " Learn more: https://aka.ms/cosmosdb-tsg-not-found"),
    replica(EXISTS, ""),
    replica(CHANGED, " Learn more: https://aka.ms/CosmosDB/sql/errors/precondition-failed"),
    plain(ITEM_MISSING),
    plain(ITEM_EXISTS),
    plain(ITEM_CHANGED),
    replica(
        "PartitionKey extracted from document doesn't match the one specified in the header.",
        " Learn more: https://aka.ms/CosmosDB/sql/errors/wrong-pk-value",
    ),
    replica(
        "The partition key supplied in x-ms-partitionkey header has fewer components than defined in the the \
         collection.",
        "",
    ),
    replica(
        "The input content is invalid because the required properties - 'id; ' - are missing.",
        " Learn more: https://aka.ms/CosmosDB/sql/errors/missing-id",
    ),
    replica("The request payload is invalid. Ensure to provide a valid request payload.", ""),
    replica("The input name presented contains invalid character.", ""),
    replica("Request size is too large", ""),
    replica("Response size is too large", ""),
    replica("You must read the change feed from within the retention period.", ""),
    plain("Invalid Continuation Token"),
    plain("Request url is invalid."),
];

const fn replica(text: &'static str, link: &'static str) -> Sentence {
    Sentence { text, link, form: MessageForm::Replica }
}

const fn plain(text: &'static str) -> Sentence {
    Sentence { text, link: "", form: MessageForm::Plain }
}

/// The message of an error body, and the part that the service does not have.
pub(super) struct ErrorMessage {
    pub(super) message: String,
    /// What is ours: names, values, the way out. A member of its own, so that the message is that of the service.
    pub(super) detail: Option<String>,
}

impl ErrorMessage {
    /// Wraps a text. The form is that of its sentence, if the service has one.
    pub(super) fn new(text: &str, form: MessageForm, activity_id: &str) -> Self {
        let known = SENTENCES.iter().find_map(|known| {
            let rest = text.strip_prefix(known.text)?;
            Some((known, rest.trim_start_matches([':', ' '])))
        });
        let Some((known, rest)) = known else {
            return Self { message: wrap(text, form, activity_id), detail: None };
        };
        let said = format!("{}{}", known.text, known.link);
        let detail = (!rest.is_empty()).then(|| rest.to_owned());
        Self { message: wrap(&said, known.form, activity_id), detail }
    }
}

/// The text with the sentence of a replica in place of that of the gateway, if it begins with one.
pub(super) fn in_words_of_replica(text: &str) -> Option<String> {
    REPLACED.iter().find_map(|(gateway, replica)| {
        let rest = text.strip_prefix(gateway)?;
        Some(format!("{replica}{rest}"))
    })
}

/// Clients split the message at the activity id.
fn wrap(text: &str, form: MessageForm, activity_id: &str) -> String {
    let short = || format!("\r\nActivityId: {activity_id}, {VERSION}");
    let long = || {
        format!(
            "\r\nActivityId: {activity_id}, Request URI: {REPLICA}, RequestStats: , SDK: {VERSION}"
        )
    };
    match form {
        MessageForm::Plain => format!("{text}{}", short()),
        MessageForm::Compiler => format!("Message: {text}{}", short()),
        MessageForm::Execution => format!("Message: {text}{}", long()),
        MessageForm::Replica => {
            format!("Message: {{\"Errors\":[{}]}}{}", Json::from(text), long())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, form: MessageForm, message: &str, detail: Option<&str>) {
        let formed = ErrorMessage::new(text, form, "A");
        let (head, tail) = formed.message.split_once("\r\n").unwrap();
        assert_eq!(head, message);
        assert_eq!(tail.contains("Request URI: /apps/"), head.contains("\"Errors\""), "{tail}");
        assert!(tail.starts_with("ActivityId: A, ") && tail.ends_with(VERSION), "{tail}");
        assert_eq!(formed.detail.as_deref(), detail);
    }

    #[test]
    fn known_sentences_are_exactly_those_of_the_service() {
        check(
            "Resource Not Found. There is no database 'd'.",
            MessageForm::Plain,
            r#"Message: {"Errors":["Resource Not Found. Learn more: https://aka.ms/cosmosdb-tsg-not-found"]}"#,
            Some("There is no database 'd'."),
        );
        check(
            "Entity with the specified id already exists in the system. The id is a.",
            MessageForm::Replica,
            "Entity with the specified id already exists in the system.",
            Some("The id is a."),
        );
        check(
            "Request size is too large: the item has 3 bytes.",
            MessageForm::Replica,
            r#"Message: {"Errors":["Request size is too large"]}"#,
            Some("the item has 3 bytes."),
        );
        check(
            "Invalid Continuation Token",
            MessageForm::Replica,
            "Invalid Continuation Token",
            None,
        );
    }

    #[test]
    fn a_replica_words_a_failed_patch() {
        let text = in_words_of_replica(&format!("{ITEM_CHANGED} The etag is 1."));
        assert_eq!(text.as_deref(), Some(&*format!("{CHANGED} The etag is 1.")));
        assert_eq!(in_words_of_replica("Invalid Continuation Token"), None);
    }

    #[test]
    fn other_texts_are_wrapped_by_who_answers() {
        check("it's \"x\"", MessageForm::Replica, r#"Message: {"Errors":["it's \"x\""]}"#, None);
        check("no", MessageForm::Plain, "no", None);
        check(r#"{"errors":[]}"#, MessageForm::Compiler, r#"Message: {"errors":[]}"#, None);
    }
}
