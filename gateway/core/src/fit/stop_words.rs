//! Words that say nothing about what is asked, by language, and words that say little in any.
//!
//! Function words double as the profile by which the language of a text is told.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::languages::{Language, Languages};
use super::tokens::fold;

const ENGLISH: &str = "a about after again all also am an and any anybody anyone anything are as at away be because been \
before being between both but by came can cannot could did do does doing done don down during each either else ever every \
everyone everything few for from further get gets getting give gives go goes going got had has have having he hello help \
helps her here hers herself hey hi him himself his how however i if in instead into is isn it its itself just keep know let \
like look lot ll made make makes many may maybe me might mine more most much must my myself need needs never no nor not \
nothing now of off ok okay http https www com org on once one only onto or other our ours out over own per please quite rather re really said same \
say see shall she should since so some somebody someone something such take tell than thank thanks that the their theirs \
them themselves then there these they thing things this those though through to too under until up upon us use used uses \
using ve very via want wants was way we well were what when where whether which while who whom whose why will with within \
without would yes yet you your yours yourself please show put try";

const SPANISH: &str = "a al algo alguien algun alguna algunas alguno algunos alla alli ante antes aqui asi aun aunque bajo \
bien cada casi como con contra cual cuales cualquier cuando cuanta cuantas cuanto cuantos da dame de debe debo decir del \
demas dentro desde despues di dice dime donde dos durante e el ella ellas ellos en entonces entre era eran es esa esas ese \
eso esos esta estaba estan estar estas este esto estos estoy fue fuera fui gracias gusta gustaria ha haber habia hace hacer \
haces hacia han has hasta hay haz haga he hemos hola igual ir la las le les lo los luego mas me mejor menos mi mia mientras \
mio mis misma mismo mucha muchas mucho muchos muy nada nadie necesita necesito ni ningun ninguna no nos nosotros nuestra \
nuestras nuestro nuestros nunca o os otra otras otro otros para pero poco podeis podria podrias poder por porque porfa favor \
primero pues puede puedes puedo que quien quiere quieres quiero quisiera se sea segun ser si sido siempre sin sino sobre sois \
solo somos son soy su sus tal tambien tampoco tan tanto te tener tengo tiene tienes toda todas todo todos tras tu tus un una \
unas uno unos usted ustedes va vale vamos van vaya ver vez voy y ya yo hazme ponme dale ayuda ayudame muestrame ensename teneis tendria tendrias hubo habra habria hizo hice hecho hicieron tuvo tuve fueron eran seria sera seran estuvo \
estuve estaria pude pudo dijo dije dicho dado dio quise quiso sabes veo mira mirar oye";

const PORTUGUESE: &str = "a ao aos agora ainda algo alguem algum alguma alguns ali antes ao apenas aqui as assim ate bem cada \
com como contra da das de dela dele deles depois desde dessa desse desta deste do dos e ela elas ele eles em enquanto entre \
era essa essas esse esses esta estao estar estas estava este estes estou eu faca faz fazer favor foi for gostaria ha isso \
isto ja la lhe lhes mais mas me mesmo meu meus minha minhas muito muitos na nao nas nem nenhum no nos nossa nossas nosso \
nossos num numa nunca o obrigado obrigada oi ola onde os ou outra outro outros para pela pelas pelo pelos pode podem poderia \
podes por porque posso pouco preciso precisa pra qual quais qualquer quando quanto quantos que quem quer quero sao se seja \
sem sempre sem ser seu seus si sim so sob sobre sou sua suas tambem tao te tem tenho ter teu teus toda todas todo todos tu \
tua um uma umas uns vai voce voces vou ajuda ajude mostra mostre diga diz havia houve fez fiz feito foram eram seria sera esteve tinha teve disse dado";

const FRENCH: &str = "a afin ai aide aider ainsi alors apres as au aucun aucune aurais aussi autre autres aux avant avec avez \
avoir avons bien bonjour bonsoir ca car ce cela celle celui ces cet cette chaque chez comme comment contre d dans de deja des \
depuis derriere dire dis dit dois doit donc donne donner dont du elle elles en encore entre est et etaient etait etant ete \
etes etre eu eux faire fais fait faut fois font hors ici il ils j je jusqu l la le les leur leurs lors lui m ma mais me meme \
merci mes mettre moi moins mon ne ni non nos notre nous on ont ou par parce pas pendant peu peut peux plus plusieurs pour \
pourquoi pourrais pourrait pouvez pouvoir pres puis puisque qu quand que quel quelle quelles quelque quelques quels qui quoi \
sa sans se selon sera ses si soit son sont sous suis sur svp ta te tes toi ton tous tout toute toutes tres trop tu un une va \
vais vers veux veut voici voila voir vos votre voudrais vous vraiment y plait";

const GERMAN: &str = "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bereits bin \
bis bist bitte da dabei dafur daher damit danach dann daran darauf darf das dass dein deine deinem deinen dem den denn der \
deren des dessen die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einfach \
er es etwa etwas euch euer fur ganz gar geben gegen gib gibt gehen genau gern gerne hab habe haben hallo hat hatte hatten \
helfen hier hilf hilfe hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder \
jedes jetzt kann kannst kein keine keinen konnen konnte konnten konntest lass lassen mach mache machen man mehr mein meine \
meinem meinen meiner mich mir mit mochte muss mussen nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine \
seinem seinen seiner seit sich sie sind so soll sollen sollte sondern sonst sowie sowohl uber um und uns unser unsere unter \
viel viele vom von vor wann war waren warum was weg weil welche welchem welchen welcher welches wenn wer werde werden wie \
wieder will willst wir wird wirst wo wollen wurde wurden wurde zu zum zur zwischen zeig zeige danke brauche";

const FAINT: &str = "asks agente agentes agenten pregunta preguntale pidele dile pergunta pergunte peca frag frage fragt demande demandez dites able actually agent ago already always another ask asked bad best better big bot bring call change check \
come complete current currently daily day days different directly early end enough exactly example fast fine first fit follow \
free full fully general gives good great half handle hand hard high hold hour hours include including kind last late later \
least left line list little long longer low main mean minute minutes month months morning name new next nice night number old \
open page part people perform person place point possible provide provided provides quick quickly ready real request required \
right run second service set simple simply small soon specific start state still stop support supported sure system task three \
time times today together tomorrow tonight tool tools turn two type user users various week weekend weekly weeks whole word \
words work working world wrong year years yesterday monday tuesday wednesday thursday friday saturday sunday january february \
march april june july august september october november december four five six seven eight nine ten eleven twelve twenty thirty hundred thousand several few whole both afternoon evening \
back happen happens happened mine whose else anyway really soon later ago everything ever spring summer autumn winter sort kind thing \
things bit piece side inside outside far near close put keep leave start begin finish done stuff lots \
dos cuatro cinco seis siete ocho nueve diez once doce veinte treinta cien mil medio media varios varias \
dois duas quatro cinco sete oito nove dez doze vinte trinta cem deux trois quatre cinq sept huit neuf dix douze vingt trente cent mille \
caso casos forma manera tipo tipos lado gente mundo vida llevo lleva llevan llevar llevaba paso pasa pasan pasado pasar pongo \
pone ponen poner puesto saco saca sacan sacar sacado dejo deja dejan dejar dejado dejes quedo queda quedan quedar creo cree creer \
parece parecen pienso pensar sabe saben saber salgo sale salen salir viene vienen venir vuelve vuelto volver sigue siguen \
toca tocan trae traen traer acaba acabo acaban gran grande grandes bueno buena buenos mejora largo larga corto corta entero entera \
quiza quizas principal varios pleno cuenta encargado interesa vuelta caso jeito tipo gente mundo vida levo leva levar passo passa \
passar ponho poe por deixo deixa deixar fico fica ficar acho acha parece sei sabe saber saio sai sair vem vir volta voltar segue \
acaba grande grandes bom boa longo curto inteiro sorte facon maniere genre gens monde vie passe passer mets met prends prend \
prendre laisse laisser reste rester crois croire pense penser sais sait savoir sors sortir viens vient venir reviens grand grande \
grands petit petite bon bonne long longue court entier personne personnes simplement seulement art weise leute welt leben nehme \
nimm nehmen stelle stell stellen setze setzen lege legen liege liegt bleibe bleibt bleiben glaube glauben denke denken weiss wissen \
komme kommt kommen komm zuruck gross grosse grossen klein kleine gut gute guten lang lange kurz kurze ganze ganzen eigentlich \
vollig letzten letzte nachste nachsten zwei drei vier funf sechs sieben acht neun zehn zwolf zwanzig dreissig hundert tausend assistant skill skills capability capabilities based \
ahora año años antes ayer cosa cosas dia dias domingo jueves lunes manana martes mes meses miercoles minuto minutos momento \
noche nuevo nueva ocho parte persona personas proximo sabado semana semanas siguiente tarde tiempo tres ultimo ultima viernes \
agora amanha ano anos coisa coisas dia dias hoje mes mais noite novo nova pessoa semana semanas tarde tempo ultimo ultima \
segunda terca quarta quinta sexta aujourd hui demain hier jour jours semaine semaines mois annee lundi mardi mercredi jeudi \
vendredi samedi dimanche soir matin heure heures nouveau nouvelle chose choses heute morgen gestern tag tage woche wochen \
monat monate jahr jahre montag dienstag mittwoch donnerstag freitag samstag sonntag uhr stunde stunden neu neue neuen hoy";

static STOP_WORDS: LazyLock<HashMap<&'static str, Languages>> = LazyLock::new(|| {
    let mut found: HashMap<&'static str, Languages> = HashMap::new();
    let lists = [
        (Language::English, ENGLISH),
        (Language::Spanish, SPANISH),
        (Language::Portuguese, PORTUGUESE),
        (Language::French, FRENCH),
        (Language::German, GERMAN),
    ];
    for (language, list) in lists {
        for word in list.split_whitespace() {
            found.entry(word).or_default().add(language);
        }
    }
    found
});

static FAINT_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| FAINT.split_whitespace().map(fold).collect());

/// Returns the languages in which a folded word is a stop word.
pub(super) fn stop_languages(folded: &str) -> Languages {
    STOP_WORDS.get(folded).copied().unwrap_or_default()
}

/// Says whether a folded word is common in requests and cards of every kind.
pub(super) fn is_faint(folded: &str) -> bool {
    FAINT_WORDS.contains(folded)
}

/// Returns every stop word with its languages.
pub(super) fn stop_words() -> impl Iterator<Item = (&'static str, Languages)> {
    STOP_WORDS
        .iter()
        .map(|(word, languages)| (*word, *languages))
}

/// Returns every faint word.
pub(super) fn faint_words() -> impl Iterator<Item = &'static str> {
    FAINT_WORDS.iter().map(String::as_str)
}
