//! One way to authenticate, read from and written in either form.

use serde_json::{Value, json};

use crate::members::{self, Object};

/// The kinds of scheme: `type` in 0.3, and the wrapping member in 1.0.
pub(crate) const KINDS: [(&str, &str); 5] = [
    ("apiKey", "apiKeySecurityScheme"),
    ("http", "httpAuthSecurityScheme"),
    ("oauth2", "oauth2SecurityScheme"),
    ("openIdConnect", "openIdConnectSecurityScheme"),
    ("mutualTLS", "mtlsSecurityScheme"),
];

/// OAuth flows, those to keep first where only one can be.
const FLOWS: [&str; 5] = [
    "authorizationCode",
    "clientCredentials",
    "deviceCode",
    "implicit",
    "password",
];

/// One way to authenticate, with everything the card says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityScheme {
    /// The scheme in the form of 1.0, but with all OAuth flows of either form.
    wrapped: Object,
    /// The OAuth flow that a card of both forms shows readers of 1.0.
    current_flow: Option<&'static str>,
}

/// Where a caller puts an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiKeyLocation {
    /// In a header.
    Header,
    /// In the query.
    Query,
    /// In a cookie.
    Cookie,
}

impl SecurityScheme {
    /// Returns a token in the `Authorization` header, such as a `JWT`.
    #[must_use]
    pub fn bearer(format: Option<&str>) -> Self {
        let mut scheme = Object::new();
        scheme.insert("scheme".to_owned(), json!("Bearer"));
        if let Some(format) = format {
            scheme.insert("bearerFormat".to_owned(), json!(format));
        }
        Self::wrap("httpAuthSecurityScheme", scheme)
    }

    /// Returns a key in a header, query parameter or cookie of this name.
    #[must_use]
    pub fn api_key(location: ApiKeyLocation, name: &str) -> Self {
        let mut scheme = Object::new();
        scheme.insert("location".to_owned(), json!(location.as_str()));
        scheme.insert("name".to_owned(), json!(name));
        Self::wrap("apiKeySecurityScheme", scheme)
    }

    /// Returns a login at an OpenID provider, whose configuration is at `url`.
    #[must_use]
    pub fn open_id_connect(url: &str) -> Self {
        let mut scheme = Object::new();
        scheme.insert("openIdConnectUrl".to_owned(), json!(url));
        Self::wrap("openIdConnectSecurityScheme", scheme)
    }

    /// Returns a client certificate.
    #[must_use]
    pub fn mutual_tls() -> Self {
        Self::wrap("mtlsSecurityScheme", Object::new())
    }

    /// Adds a description for people.
    #[must_use]
    pub fn described(mut self, description: &str) -> Self {
        if let Some(Value::Object(scheme)) = self.wrapped.values_mut().next() {
            scheme.insert("description".to_owned(), json!(description));
        }
        self
    }

    /// Returns the scheme as 1.0 writes it; of OAuth flows that 0.3 lists together, all.
    #[must_use]
    pub fn value(&self) -> Value {
        Value::Object(self.wrapped.clone())
    }

    /// Reads a scheme of either form. One that has both is that of 1.0, and its OAuth flows are
    /// those of both, since 1.0 has room for one.
    pub(super) fn read(scheme: &Object) -> Self {
        let current = KINDS
            .iter()
            .find_map(|(_, wrapper)| Some((*wrapper, members::object(scheme, wrapper)?)));
        let Some((wrapper, wrapped)) = current else {
            return Self::read_legacy(scheme);
        };
        let mut read = Self::wrap(wrapper, wrapped.clone());
        let Some(legacy) = members::object(scheme, "flows") else {
            return read;
        };
        read.current_flow = read.flows().first().copied();
        if let Some(flows) = flows_in(&mut read.wrapped) {
            for (name, flow) in legacy {
                flows.entry(name).or_insert_with(|| flow.clone());
            }
        }
        read
    }

    fn read_legacy(scheme: &Object) -> Self {
        let named = members::text(scheme, "type");
        let kind = KINDS.iter().find(|(kind, _)| Some(*kind) == named);
        let Some((_, wrapper)) = kind else {
            return Self {
                wrapped: scheme.clone(),
                current_flow: None,
            };
        };
        let moved = scheme
            .iter()
            .filter(|(name, _)| *name != "type")
            .map(|(name, value)| (renamed(name, "in", "location"), value.clone()));
        Self::wrap(wrapper, moved.collect())
    }

    fn wrap(wrapper: &str, scheme: Object) -> Self {
        let mut wrapped = Object::new();
        wrapped.insert(wrapper.to_owned(), Value::Object(scheme));
        Self {
            wrapped,
            current_flow: None,
        }
    }

    fn kind(&self) -> Option<(&'static str, &'static str, &Object)> {
        KINDS.iter().find_map(|(kind, wrapper)| {
            Some((*kind, *wrapper, self.wrapped.get(*wrapper)?.as_object()?))
        })
    }

    /// Returns the OAuth flows that the form of 1.0 cannot hold: it has room for one.
    pub(crate) fn flows_lost_in_v1(&self) -> Vec<&'static str> {
        let mut flows = self.flows();
        let kept = self.current_flow.or(flows.first().copied());
        flows.retain(|name| Some(*name) != kept);
        flows
    }

    /// Returns what the form of 0.3 has no place for, as JSON pointers in the form of 1.0.
    pub(crate) fn lost_in_v03(&self) -> Vec<String> {
        let Some((_, wrapper, scheme)) = self.kind() else {
            return Vec::new();
        };
        let empty = Object::new();
        let flows = members::object(scheme, "flows").unwrap_or(&empty);
        let mut lost = Vec::new();
        for (name, flow) in flows {
            if name == "deviceCode" {
                lost.push(format!("/{wrapper}/flows/deviceCode"));
            } else if flow.get("pkceRequired") == Some(&Value::Bool(true)) {
                lost.push(format!("/{wrapper}/flows/{name}/pkceRequired"));
            }
        }
        lost
    }

    fn flows(&self) -> Vec<&'static str> {
        let flows = self
            .kind()
            .and_then(|(_, _, scheme)| members::object(scheme, "flows"));
        let is_there =
            |name: &str| flows.is_some_and(|flows| members::object(flows, name).is_some());
        FLOWS.into_iter().filter(|name| is_there(name)).collect()
    }

    /// Returns the members of the scheme in the form of 1.0, with one OAuth flow.
    pub(crate) fn in_v1(&self) -> Object {
        let lost = self.flows_lost_in_v1();
        let mut written = self.wrapped.clone();
        if let Some(flows) = flows_in(&mut written) {
            flows.retain(|name, _| !lost.contains(&members::camel_case(name).as_ref()));
        }
        written
    }

    /// Returns the members of the scheme in the form of 0.3.
    pub(crate) fn in_v03(&self) -> Object {
        let Some((kind, _, scheme)) = self.kind() else {
            return self.wrapped.clone();
        };
        let mut written = Object::new();
        written.insert("type".to_owned(), json!(kind));
        for (name, value) in scheme {
            written.insert(renamed(name, "location", "in"), value.clone());
        }
        if let Some(flows) = written.get_mut("flows").and_then(Value::as_object_mut) {
            flows.shift_remove("deviceCode");
            for flow in flows.values_mut().filter_map(Value::as_object_mut) {
                flow.shift_remove("pkceRequired");
            }
        }
        written
    }
}

impl ApiKeyLocation {
    fn as_str(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Query => "query",
            Self::Cookie => "cookie",
        }
    }
}

fn flows_in(wrapped: &mut Object) -> Option<&mut Object> {
    wrapped
        .get_mut("oauth2SecurityScheme")?
        .get_mut("flows")?
        .as_object_mut()
}

fn renamed(name: &str, from: &str, to: &str) -> String {
    if name == from { to } else { name }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheme(value: &Value) -> SecurityScheme {
        SecurityScheme::read(value.as_object().unwrap())
    }

    #[test]
    fn schemes_of_both_versions_are_the_same_scheme() {
        let pairs = [
            (
                json!({"type": "apiKey", "in": "header", "name": "X-Key", "description": "d", "x": 1}),
                json!({"apiKeySecurityScheme": {"location": "header", "name": "X-Key", "description": "d", "x": 1}}),
            ),
            (
                json!({"type": "http", "scheme": "Bearer", "bearerFormat": "JWT"}),
                json!({"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": "JWT"}}),
            ),
            (
                json!({"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "t", "scopes": {}}}, "oauth2MetadataUrl": "m"}),
                json!({"oauth2SecurityScheme": {"flows": {"clientCredentials": {"tokenUrl": "t", "scopes": {}}}, "oauth2MetadataUrl": "m"}}),
            ),
            (
                json!({"type": "openIdConnect", "openIdConnectUrl": "u"}),
                json!({"openIdConnectSecurityScheme": {"openIdConnectUrl": "u"}}),
            ),
            (
                json!({"type": "mutualTLS"}),
                json!({"mtlsSecurityScheme": {}}),
            ),
        ];
        for (legacy, current) in pairs {
            let read = scheme(&legacy);
            assert_eq!(read, scheme(&current));
            assert_eq!(Value::Object(read.in_v1()), current);
            assert_eq!(Value::Object(read.in_v03()), legacy);
        }
    }

    #[test]
    fn one_oauth_flow_is_kept_in_1_0_and_the_others_are_named() {
        let several = scheme(&json!({"type": "oauth2", "flows": {
            "password": {"tokenUrl": "p"}, "authorizationCode": {"tokenUrl": "a"}, "clientCredentials": {"tokenUrl": "c"}}}));
        assert_eq!(
            several.flows_lost_in_v1(),
            ["clientCredentials", "password"]
        );
        assert_eq!(
            Value::Object(several.in_v1()),
            json!({"oauth2SecurityScheme": {"flows": {"authorizationCode": {"tokenUrl": "a"}}}})
        );
        assert_eq!(several.in_v03()["flows"].as_object().unwrap().len(), 3);
    }

    #[test]
    fn what_0_3_cannot_say_is_left_out_and_named() {
        let modern = scheme(&json!({"oauth2SecurityScheme": {"flows": {
            "deviceCode": {"tokenUrl": "d"}, "authorizationCode": {"tokenUrl": "a", "pkceRequired": true}}}}));
        assert_eq!(
            modern.lost_in_v03(),
            [
                "/oauth2SecurityScheme/flows/deviceCode",
                "/oauth2SecurityScheme/flows/authorizationCode/pkceRequired"
            ]
        );
        assert_eq!(
            Value::Object(modern.in_v03()),
            json!({"type": "oauth2", "flows": {"authorizationCode": {"tokenUrl": "a"}}})
        );
    }
}
