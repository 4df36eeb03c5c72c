//! Italian.

use super::Lists;

pub(super) const LISTS: Lists = Lists {
    openers: "e ma per favore allora quindi anche ok bene ora o attenzione",
    joints: "e ma allora quindi o",
    resumers: "quindi allora per ma percio",
    subjects: "io lui lei noi loro il la i gli le un una mio mia nostro nostra qualcuno nessuno",
    verbs: "usa|usate|utilizza|scrivi|scrivete|rispondi|rispondete|invia|manda|mostra|metti|\
            scegli|prenota|accetta|includi|importa|esegui|lavora|salva|proponi|compra|cucina|tieni",
    rules: "regola|regole|limite|limiti|restrizione|requisito|divieto|vincolo|condizione",
    demands: "^mai|^sempre|^non usare|^non @do|^non … mai|^non fare|^non toccare|\
        ^non modificare|^non cancellare|^non inviare|^non scrivere|^non installare|\
        ^non condividere|^non mettere|^non aggiungere|^evita/evitate|^assicurati|\
        ^assicuratevi|^mantieni|^lascia … come|^limita|^@do sempre|^@do … sempre|^@do solo|\
        ^@do … solo|^@do soltanto|^@do … soltanto|^@do esclusivamente|^@do al massimo|\
        ^@do … al massimo|^al massimo|^almeno|al massimo #|deve/devono|devi|non deve/devono|\
        non puo/possono|non puoi|bisogna|occorre|e vietato|vietato|vietata|e proibito|\
        proibito|e obbligatorio|obbligatorio|in nessun caso|per nessun motivo|\
        senza eccezioni|d ora in poi|da ora in poi|da adesso in poi|in futuro|non piu di|\
        non meno di|meno di #|voglio che tutt*|non voglio|preferisco|sono vegetarian*|\
        sono vegan*|sono allergic*|e allergic*|non mangio|niente altro|nient altro|\
        chiedimi … prima|senza chiedere|senza il mio|ogni volta che|tutte le … devono|\
        tutti i … devono|^solo @do|^soltanto @do",
    lifts: "^dimentica|^ignora la @rule|non vale piu|non si applica piu|puoi di nuovo|\
        puoi … di nuovo|adesso puoi|ora puoi|e/sono di nuovo permess*",
    reliefs: "non e piu necessari*|non serve piu|non devi piu|non c e piu bisogno",
    bans: "mai|non|niente|vietat*|senza|evita",
    replaces: "d ora in poi … invece d*|d ora in poi … al posto d*|^usa … invece d*|^usa … al posto d*|\
        ^passa a|invece d* … d ora in poi",
    vetoes: "non preoccuparti|non so|non credo|non trovo|deve esserci|dovrebbe essere|ho dovuto|\
        io sempre|ho sempre|non ho mai|non ha mai|credo che",
    reports: "dice che|ha detto|mi ha detto|secondo|messaggio di errore|la documentazione dice|\
        mi chiedo|^perche|^come mai",
};
