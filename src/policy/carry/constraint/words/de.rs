//! German.

use super::Lists;

pub(super) const LISTS: Lists = Lists {
    openers: "und aber also bitte auch ach ok okay nun dann oder achtung wichtig ubrigens ab jetzt \
              kunftig sofort",
    joints: "und aber oder also",
    resumers: "also bitte aber daher deshalb darum",
    subjects: "ich wir er sie es ihr der die das ein eine mein meine unser unsere jemand niemand \
               man da",
    verbs: "verwende|verwenden|benutze|benutz|nutze|nutz|nimm|nehmt|schreib|schreibe|\
        schreiben|antworte|antworten|antwortet|schick|schicke|sende|zeig|zeige|gib|setz|\
        setze|nenne|formatiere|sprich|wahle|wahl|buche|buch|akzeptiere|importiere|arbeite|\
        speichere|kauf|kaufe|koch|koche|plane|lege|leg|fuhre|logge",
    rules: "regel|regeln|grenze|grenzen|beschrankung|einschrankung|limit|vorgabe|vorgaben|\
        bedingung|verbot|obergrenze|pflicht|vorschrift|freeze|sperre|stopp",
    demands: "^nie|^niemals|^immer|^stets|^@do … nie|^@do nie/niemals/immer/stets/nur|\
        ^@do … niemals|^@do … immer|^@do … stets|^@do … nur|^@do … ausschliesslich|\
        ^@do … hochstens|^@do … maximal|^@do … mindestens|^@do … keine/keinen/kein|\
        ^@do … nicht|^@do … jedes mal|^@do alle|^nicht|^kein/keine/keinen|\
        ^vermeide/vermeiden/vermeidet|^achte/achten/achtet|^sorge/sorgt dafur|\
        ^stell/stelle sicher|^stellen sie sicher|^bleib/bleibe/bleiben/bleibt|\
        ^halte/halt/halten|^lass/lasse/lassen … wie|^lass/lasse … in ruhe|\
        ^lass/lasse … unverandert|^fass/fasse … nicht|^fass/fasse … nichts|^pushe … nie/niemals|\
        ^push … nie/niemals|^frag/frage … bevor|^frag/frage … vorher|^frag/frage … immer|\
        ^loesche … nicht|^losche … nicht/nie|^andere … nicht/nie|^denk daran|^denke daran|\
        bitte immer|bitte nie/niemals/nicht/nur/kein/keine/keinen/stets|^hochstens|^maximal|\
        ^mindestens|hochstens #|maximal #|hochstens ein/eine/einen/zwei/drei/vier/funf|\
        nicht mehr als|nicht weniger als|nicht langer als|\
        nicht fruher/spater/hoher/grosser als|mussen/muss|darf/durfen nicht|\
        darf/durfen … nicht|darf/durfen nur|darf/durfen hochstens/maximal|\
        darf/durfen … hochstens|darf/durfen kein/keine/keinen|darfst/durft nicht|\
        darfst/durft kein/keine/keinen|darf/durfen niemals|darf/durfen in keinem|\
        auf keinen fall|in keinem fall|keinesfalls|unter keinen umstanden|ohne ausnahme|\
        ausnahmslos|auf jeden fall|unbedingt|zwingend|verboten|untersagt|nicht erlaubt|\
        nicht gestattet|unzulassig|verpflichtend|vorgeschrieben|ab jetzt|ab sofort|\
        von nun an|ab heute|von jetzt an|in zukunft|kunftig|zukunftig|bis auf weiteres|\
        fur den rest|sollen/soll immer/nie/niemals/nicht/nur/stets|soll/sollen … sein|\
        soll/sollen … stehen|soll/sollen … bleiben|soll/sollen … enthalten|sollst/sollt|\
        ist/sind … zu|ist/sind zu|brauchen wir mindestens|brauche mindestens|\
        wir wollen mindestens|mit mindestens|^alle … brauchen|^jede/jeder/jedes … braucht|\
        ^bei jeder/jedem/jedem … ist|ich bevorzuge|ich hatte lieber|ich mag lieber|\
        ich mochte dass all*|ich mochte … nur|ich mochte … immer|ich mochte … geschrieben|\
        ich mochte kein/keine/keinen|ich will kein/keine/keinen|ich will … immer|\
        ich will dass all*|dass all* … werden|dass all* … sind|ich bin vegetarier*|\
        ich bin veganer*|ich bin allergisch|ist allergisch|ich esse kein/keine/keinen|\
        ich trinke kein/keine/keinen|ich vertrage kein/keine/keinen|sonst nichts|\
        nichts anderes|ohne rucksprache|ohne zu fragen|ohne meine|ohne mein|ohne erlaubnis|\
        ohne zustimmung|ohne genehmigung|nicht weitergegeben|nur an mich|nie an|niemals an|\
        ^jedes mal|^immer wenn|^nur|^ausschliesslich|^lieber|^nenn/nenne/nennt mich|\
        ^erklar/erklare … in einfach*|^erklar/erklare … ohne|^@do … ohne|nichts verloren|\
        nichts zu suchen|bleibt/bleiben … wie|bleibt/bleiben beim|bleibt/bleiben so|\
        wird/werden nichts|^lass/lasse/lassen … so",
    lifts: "^vergiss|^vergesst|^vergessen sie|^ignorier* die @rule|^ignorier* das @rule|\
        ^streich* die @rule|gilt nicht mehr|gelten nicht mehr|gilt nicht langer|\
        nicht mehr verboten|nicht mehr gultig|darfst … wieder|darfst wieder|darf wieder|durft wieder|\
        durfen wieder|kannst … wieder|darfst jetzt|durft jetzt|darfst du jetzt|\
        ist/sind wieder erlaubt|ist/sind wieder in ordnung|ist/sind wieder okay/ok|\
        ist/sind jetzt erlaubt|@rule entfallt|@rule entfallen|@rule ist aufgehoben|\
        @rule fallt weg|doch wieder|ist/sind doch erlaubt|ich nehme … zuruck|\
        hat sich erledigt|^nicht mehr im/in/am/mit/auf/nach|\
        @rule ist/sind vorbei/aufgehoben|was ihr wollt|was du willst",
    reliefs: "nicht mehr notig|nicht mehr notwendig|nicht mehr erforderlich|\
        brauchst … nicht mehr|brauchen … nicht mehr|braucht … nicht mehr|musst … nicht mehr|\
        mussen … nicht mehr|muss … nicht mehr|kein/keine … mehr notig|\
        muss/mussen/musst … nicht langer",
    bans: "nie|niemals|nicht|kein*|nichts|verboten|ohne|vermeide*",
    replaces: "ab sofort … statt|ab jetzt … statt|kunftig … statt|kunftig … nicht mehr|\
        ab jetzt … nicht mehr|ab sofort … nicht mehr|^nimm … statt|^nimm … anstatt|^verwende … statt|\
        ^nutze … statt|^benutze … statt|^wechsle zu|^wechsel zu|^stell … um auf|^stelle … um auf|\
        ^andere … auf|von nun an … statt|statt … ab jetzt|statt … ab sofort|statt … kunftig",
    vetoes: "keine sorge|keine sorgen|keine ahnung|kein problem|kein wunder|keine zeit|\
        nicht wahr|es muss … sein$|muss … gewesen|ich musste|wir mussten|musste … neu|\
        ich dachte immer|ich habe … nie|ich hab … nie|noch nie|hat … nie|haben … nie|\
        hat kein/keine/keinen|hat … kein/keine/keinen|schlagt immer|\
        braucht/brauchen mindestens #|ich wusste nicht|ich weiss nicht|ich glaube|\
        ich kann … nicht|hatten … niemals|hatte … niemals|^nicht schlecht|^nicht sicher|\
        liefert nie|macht nie|geht nie|kommt nie|bestellt immer|macht immer|ist immer|\
        sind immer|brauchen/braucht/dauert/dauern mindestens|wir mussen … reden/sprechen|\
        wir mussen mal|da muss|ob … muss/mussen/darf/soll|war/waren immer|war/waren nie|\
        ich finde … nicht|hat/hatte nur … geoffnet|schauen ob|sehen ob",
    reports: "er/sie sagt|er/sie sagte|er/sie meinte|er/sie meint|hat gesagt|sagte mir|laut|\
        gemass|steht dass|heisst es|fehlermeldung lautet|fehlermeldung|in der dokumentation|\
        im handbuch|in der anleitung|ich frage mich|frage mich ob|ich habe gehort|\
        ich habe gelesen|wurde mir gesagt|hat mir gesagt|^warum|^wieso|^wie|^was passiert|\
        ^mussen wir|^muss ich|^darf ich|der … sagt|die … sagt|sagt das|sagt dass|\
        der … sagte|die … sagte|der … meint|die … meint",
};
