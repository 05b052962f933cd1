//! The cards a gateway serves in place of the ones in `tests/cards`, as golden files.

use agent_cards::publish::{self, Federation, Offer, ServedShape, SkillLimits};
use agent_cards::{Card, ProtocolVersion};

use crate::{CARDS, card, offered};

#[test]
fn agents_are_served_in_both_shapes() {
    let versions = [
        ("v03", vec![ProtocolVersion::V0_3]),
        ("v1", vec![ProtocolVersion::V1_0]),
        ("hybrid", vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3]),
        ("sloppy", vec![ProtocolVersion::V0_3]),
    ];
    for (name, versions) in versions {
        let hybrid = offered(ServedShape::Hybrid, &versions);
        let pure = offered(ServedShape::V1, &versions);
        insta::assert_json_snapshot!(
            format!("{name}_served_to_all"),
            publish::agent(&card(name), &hybrid)
        );
        insta::assert_json_snapshot!(
            format!("{name}_served_to_1_0"),
            publish::agent(&card(name), &pure)
        );
    }
}

#[test]
fn federation_is_served_as_one_card() {
    let agents: Vec<(&str, Card)> = CARDS.iter().map(|(name, _)| (*name, card(name))).collect();
    let offers = agents.iter().flat_map(|(agent, card)| {
        card.skills()
            .iter()
            .map(move |skill| Offer { agent, card, skill })
    });
    let identity = Federation {
        name: "Example University".to_owned(),
        description: "Every agent of the university at one address.".to_owned(),
        version: "1".to_owned(),
        provider: None,
        documentation_url: None,
        limits: SkillLimits::default(),
    };
    let both = [ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    let options = offered(ServedShape::Hybrid, &both);
    let federated = publish::federated(&identity, offers, &options);
    assert_eq!(federated.left_out, 0);
    insta::assert_json_snapshot!("federated", federated.card);
}
