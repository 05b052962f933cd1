//! Cards of other trades, as many as wanted: the crowd that must not change how the others are routed.
//!
//! They share no topic with the labelled requests, but the words that all cards share: what agents do, for whom,
//! and from what. Equal numbers give equal cards.

use serde_json::{Value, json};

use crate::{Outcome, catalog::NamedCard, dice::Dice};

const TRADES: [(&str, &str); 24] = [
    (
        "beekeeping",
        "hive honey swarm queen frame pollen brood smoker apiary nectar wax colony",
    ),
    (
        "glaciology",
        "glacier moraine crevasse icecap firn meltwater serac ablation borehole cirque",
    ),
    (
        "heraldry",
        "crest blazon escutcheon tincture herald banner motto lion chevron quartering",
    ),
    (
        "carpentry",
        "dovetail plank chisel joinery veneer lathe mortise tenon plywood sawdust",
    ),
    (
        "falconry",
        "falcon jess hood lure mews hawk talon perch quarry gauntlet",
    ),
    (
        "typography",
        "serif ligature kerning glyph baseline italic foundry leading typeface ampersand",
    ),
    (
        "speleology",
        "cave stalactite sump rope carbide gallery shaft chamber karst abseil",
    ),
    (
        "viticulture",
        "vineyard grape rootstock trellis canopy ripening cellar must tannin harvest",
    ),
    (
        "astronomy",
        "nebula eclipse comet parallax spectrum orbit telescope quasar meteor zenith",
    ),
    (
        "forestry",
        "timber sapling canopy thinning felling bark spruce undergrowth logging mulch",
    ),
    (
        "embroidery",
        "stitch hoop thread needle satin motif linen tapestry bobbin lace",
    ),
    (
        "seismology",
        "fault tremor epicentre magnitude seismograph aftershock tectonic rupture mantle",
    ),
    (
        "puppetry",
        "puppet marionette string stage ventriloquist shadow mask sandbag curtain",
    ),
    (
        "campanology",
        "bell clapper belfry peal rope carillon tower chime ringer toll",
    ),
    (
        "dredging",
        "barge silt dredger harbour pontoon sediment winch mooring channel buoy",
    ),
    (
        "archery",
        "arrow bow fletching quiver target nock draw stringer broadhead range",
    ),
    (
        "mycology",
        "mushroom spore mycelium gill truffle lichen substrate fungus agar cap",
    ),
    (
        "saddlery",
        "saddle bridle girth stirrup leather harness buckle halter rein awl",
    ),
    (
        "watchmaking",
        "escapement balance mainspring dial bezel tourbillon jewel pinion crown",
    ),
    (
        "blacksmithing",
        "anvil forge hammer tongs quench bellows ingot rivet horseshoe slag",
    ),
    (
        "ornithology",
        "plumage warbler nest migration ringing roost songbird clutch heron fledgling",
    ),
    (
        "papermaking",
        "pulp deckle watermark vellum sheet fibre couching press rag sizing",
    ),
    (
        "choreography",
        "ballet pirouette rehearsal troupe waltz barre ensemble tempo lift costume",
    ),
    (
        "hydrology",
        "aquifer weir river gauge runoff basin culvert floodplain spring tributary",
    ),
];
const DOES: [&str; 49] = [
    "plans",
    "checks",
    "tracks",
    "compares",
    "reports",
    "explains",
    "summarises",
    "lists",
    "finds",
    "creates",
    "estimates",
    "reviews",
    "searches",
    "prepares",
    "analyses",
    "monitors",
    "suggests",
    "records",
    "describes",
    "catalogues",
    "measures",
    "inspects",
    "values",
    "sorts",
    "identifies",
    "maps",
    "counts",
    "restores",
    "orders",
    "labels",
    "documents",
    "traces",
    "archives",
    "ranks",
    "rates",
    "cleans",
    "matches",
    "schedules",
    "verifies",
    "collects",
    "publishes",
    "appraises",
    "illustrates",
    "dates",
    "grades",
    "audits",
    "predicts",
    "simulates",
    "teaches",
];
const FOR: [&str; 36] = [
    "clubs",
    "beginners",
    "small workshops",
    "museums",
    "research teams",
    "regional offices",
    "volunteers",
    "owners",
    "trade fairs",
    "students",
    "experts",
    "public archives",
    "collectors",
    "auction houses",
    "county councils",
    "schools",
    "restorers",
    "film crews",
    "guilds",
    "apprentices",
    "festivals",
    "wardens",
    "surveyors",
    "librarians",
    "curators",
    "retailers",
    "hobbyists",
    "cooperatives",
    "national parks",
    "training centres",
    "families",
    "seasonal staff",
    "wholesalers",
    "conservation groups",
    "judges",
    "newsrooms",
];
const FROM: [&str; 36] = [
    "field notes",
    "photos",
    "old catalogues",
    "sensor readings",
    "interviews",
    "uploaded files",
    "a shared database",
    "inspection records",
    "a short description",
    "measurements",
    "drone footage",
    "hand drawings",
    "ledgers",
    "satellite pictures",
    "lab samples",
    "sound recordings",
    "diaries",
    "floor plans",
    "serial numbers",
    "parish registers",
    "spreadsheets",
    "customs papers",
    "microscope slides",
    "blueprints",
    "scanned letters",
    "inventories",
    "patents",
    "expedition logs",
    "video clips",
    "price lists",
    "questionnaires",
    "maps",
    "test strips",
    "museum labels",
    "newspaper cuttings",
    "manuals",
];

/// Returns the cards numbered from `first`, with `skills` skills each.
///
/// # Errors
/// When a card cannot be parsed, which would be a mistake here.
pub fn cards(first: u32, count: u32, skills: u32) -> Outcome<Vec<NamedCard>> {
    let numbers = first..first + count;
    numbers.map(|number| card(number, skills)).collect()
}

fn card(number: u32, skills: u32) -> Outcome<NamedCard> {
    let mut dice = Dice::new(number);
    let (trade, words) = *dice.pick(&TRADES);
    let words: Vec<&str> = words.split(' ').collect();
    let skills: Vec<Value> = (0..skills)
        .map(|_| skill(&mut dice, trade, &words))
        .collect();
    let name = format!("{} {} {number}", dice.pick(&words), trade);
    let card = json!({
        "name": name,
        "description": sentence(&mut dice, &words),
        "version": "1.0.0",
        "url": "https://unrelated.example/a2a",
        "protocolVersion": "0.3.0",
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": skills,
    });
    NamedCard::parse(&format!("unrelated-{number}"), &card.to_string())
}

fn skill(dice: &mut Dice, trade: &str, words: &[&str]) -> Value {
    let (does, word) = (*dice.pick(&DOES), *dice.pick(words));
    let id = format!("{does}_{word}");
    let description = [
        sentence(dice, words),
        format!("Works {} and {}.", dice.pick(&FOR), dice.pick(&FROM)),
        sentence(dice, words),
    ];
    json!({
        "id": id,
        "name": format!("{does} {word}"),
        "description": description.join(" "),
        "tags": [trade, *dice.pick(words), *dice.pick(words)],
        "examples": [format!("Which {} {} this {}?", dice.pick(words), dice.pick(&DOES), dice.pick(words))],
    })
}

fn sentence(dice: &mut Dice, words: &[&str]) -> String {
    let (does, first, second) = (dice.pick(&DOES), dice.pick(words), dice.pick(words));
    let (whom, source) = (dice.pick(&FOR), dice.pick(&FROM));
    format!("This agent {does} the {first} and the {second} for {whom} from {source}.")
}
