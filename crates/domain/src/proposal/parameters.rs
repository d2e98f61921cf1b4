//! The parameters with which a model is asked, beside its temperature.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::member::{self, InvalidMember};

/// The member of a request that has the parameters.
const MEMBER: &str = "parameters_json";

/// What a person may set for all calls of a run. What is none is not sent, so the endpoint has its own value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelParameters {
    /// How much of the probability the words must have together from which the model chooses, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// How much words that occurred often are avoided, from -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    /// How much words that occurred are avoided, from -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// With the same number, a model tries to answer the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// The most tokens of an answer, if the settings do not allow fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
}

impl ModelParameters {
    /// Reads the members of `parameters_json`. One that no model is asked with is refused, and so is a value out of its range.
    pub fn read(members: &Map<String, Value>) -> Result<Self, InvalidMember> {
        const KNOWN: [&str; 5] = ["top_p", "frequency_penalty", "presence_penalty", "seed", "max_tokens"];
        if members.keys().any(|name| !KNOWN.contains(&name.as_str())) {
            let rule = format!("may have only the members {}", KNOWN.join(", "));
            return Err(InvalidMember::at(MEMBER, rule));
        }
        let json = Value::Object(members.clone()).to_string();
        let parameters: Self = member::parse(&json).map_err(|error| error.inside(MEMBER))?;
        let Self { top_p, frequency_penalty, presence_penalty, max_tokens, .. } = parameters;
        let rule = |is_kept: bool, name: &str, rule: &str| {
            let invalid = || InvalidMember::at(name, rule).inside(MEMBER);
            if is_kept { Ok(()) } else { Err(invalid()) }
        };
        let within = |value: Option<f64>, range: std::ops::RangeInclusive<f64>| {
            value.is_none_or(|value| range.contains(&value))
        };
        rule(within(top_p, 0.0..=1.0), "top_p", "must be from 0 to 1")?;
        rule(within(frequency_penalty, -2.0..=2.0), "frequency_penalty", "must be from -2 to 2")?;
        rule(within(presence_penalty, -2.0..=2.0), "presence_penalty", "must be from -2 to 2")?;
        rule(max_tokens != Some(0), "max_tokens", "must be at least 1")?;
        Ok(parameters)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(members: &Value) -> Result<ModelParameters, String> {
        ModelParameters::read(members.as_object().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn known_parameters_are_read_and_others_refused_by_name() {
        assert_eq!(read(&json!({})), Ok(ModelParameters::default()));
        let expected = ModelParameters {
            top_p: Some(0.5),
            seed: Some(-7),
            max_tokens: Some(90),
            ..ModelParameters::default()
        };
        assert_eq!(read(&json!({ "top_p": 0.5, "seed": -7, "max_tokens": 90 })), Ok(expected));
        for (wrong, part) in [
            (json!({ "top-p": 0.5 }), "parameters_json may have only the members top_p"),
            (json!({ "messages": [] }), "parameters_json may have only"),
            (json!({ "top_p": 1.5 }), "parameters_json.top_p must be from 0 to 1"),
            (json!({ "presence_penalty": -3 }), "parameters_json.presence_penalty must be"),
            (json!({ "max_tokens": 0 }), "parameters_json.max_tokens must be at least 1"),
            (json!({ "max_tokens": -1 }), "parameters_json.max_tokens"),
            (json!({ "seed": "x" }), "parameters_json.seed must be"),
            (json!({ "top_p": "x" }), "parameters_json.top_p must be a number"),
        ] {
            let refused = read(&wrong).unwrap_err();
            assert!(refused.starts_with(part), "{refused}");
        }
    }
}
