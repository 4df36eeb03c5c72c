//! French.

use super::Lists;

pub(super) const LISTS: Lists = Lists {
    openers: "et mais donc alors aussi s il te plait vous ok bon maintenant ah ou attention sinon \
              desormais dorenavant",
    joints: "et mais donc alors ou",
    resumers: "donc alors mais ainsi s",
    subjects: "je j il elle on nous ils elles le la les l un une mon ma mes notre nos ca cela \
               quelqu personne",
    verbs: "utilise|utilisez|ecris|ecrivez|reponds|repondez|envoie|envoyez|montre|montrez|\
        mets|mettez|nomme|formate|renvoie|retourne|parle|parlez|choisis|choisissez|reserve|\
        reservez|accepte|inclus|importe|lance|travaille|garde|propose|achete|cuisine|sers|\
        planifie",
    rules: "regle|regles|limite|limites|restriction|restrictions|exigence|contrainte|\
        contraintes|interdiction|plafond|condition|politique|consigne|convention|gel|\
        embargo|blocage",
    demands: "^ne/n … pas|^ne/n … jamais|^ne/n … rien|^ne/n … aucun/aucune|^ne/n … que|\
        ^jamais|^toujours|^evite/evitez/eviter|^assure/assurez|^veille/veillez|\
        ^fais/faites attention|^fais/faites en sorte|^garde/gardez|^conserve/conservez|\
        ^laisse/laissez … tel*|^laisse/laissez … comme|^laisse/laissez … intact*|\
        ^limite/limitez|^prefere/preferez|^pense/pensez a|^n oublie pas|^@do toujours|\
        ^@do … toujours|^@do seulement|^@do … seulement|^@do uniquement|^@do … uniquement|\
        ^@do exclusivement|^@do … exclusivement|^@do … au maximum|^@do … au plus|\
        ^@do tous/toutes/tout|^demande/demandez … avant|^demande moi toujours|\
        moi toujours avant|^seulement|^uniquement|^au maximum|^au plus|^au moins|^maximum|\
        ^minimum|au maximum$|maximum #|au plus$|# au plus|au maximum #|ne/n doit/doivent|\
        ne/n … doit/doivent|doit/doivent etre|doit/doivent|dois|devez|vous ne devez|\
        tu ne dois|tu ne peux pas|vous ne pouvez pas|ne peut/peuvent pas|\
        ne peut/peuvent etre|il faut|il ne faut|il nous faut|il me faut|en aucun cas|\
        en aucune facon|sous aucun pretexte|a aucun moment|sans exception|interdit*|\
        il est interdit|defense de|pas autorise*|pas permis|non autorise|obligatoire*|\
        a partir de maintenant|a partir d aujourd|desormais|dorenavant|a l avenir|\
        jusqu a nouvel ordre|pour le reste|pas plus de|pas moins de|moins de #|\
        je veux que tou*|je veux que … soient/soit|je veux tout|je ne veux pas|\
        je ne veux plus|je ne veux que|nous voulons au moins|avec au moins|je prefere|\
        je prefererais|je suis vegetarien*|je suis vegan*|je suis allergique|\
        je suis diabetique|je suis intolerant*|est allergique|je ne mange pas|\
        je ne bois pas|je ne peux pas manger|rien d autre|rien de plus|et rien d|jamais a|\
        ^tout* … exige*|^tout* … doit|^chaque … exige*|^tous/toutes … doivent|^pas de/d|\
        ^aucun/aucune … sans|^aucun/aucune|sans mon|sans ma|sans me demander|\
        sans permission|sans autorisation|sans demander|^chaque fois que|^a chaque fois|\
        moi seul|qu a moi|ni … ni|^appelle/appelez moi|passe/passent … par moi|\
        ^on ne touche/change/modifie/publie/fusionne/partage|reste/restent … que|\
        reste/restent … comme|reste/restent tel*|^rien ne|pas davantage|pas plus$|\
        ^explique/expliquez … sans|^@do … sans|^@do … pas|est/sont limite*",
    lifts: "^oublie/oubliez|^ignore/ignorez la @rule|^ignore/ignorez ce|ne s applique plus|\
        ne s appliquent plus|n est plus interdit*|n est plus valable|n est plus utile|\
        ne sont plus interdit*|ne dois plus … si|tu peux de nouveau|vous pouvez de nouveau|\
        tu peux a nouveau|vous pouvez a nouveau|peux … a nouveau|peux … de nouveau|\
        pouvez … a nouveau|tu peux maintenant|vous pouvez maintenant|\
        est/sont de nouveau autorise*|est/sont a nouveau autorise*|\
        est/sont de nouveau permis*|est/sont maintenant autorise*|laisse tomber la @rule|\
        @rule est levee|@rule ne compte plus|je retire|j ai change d avis|\
        il n y a plus de @rule|@rule … ne vaut plus|ne valent plus|ne vaut plus|\
        @rule est termine*|ce que vous voulez|ce que tu veux",
    reliefs: "n est plus necessaire|n est plus obligatoire|ne sont plus necessaires|\
        n as plus besoin|n avez plus besoin|n as plus a|n avez plus a|plus la peine de|\
        plus besoin de",
    bans: "jamais|ne|n|pas|rien|aucun*|interdit*|sans|evite*",
    replaces: "desormais … au lieu d*|a partir de maintenant … au lieu d*|\
        dorenavant … au lieu d*|^utilise/utilisez … au lieu d*|\
        ^utilise/utilisez … a la place d*|^passe/passez a|^remplace/remplacez … par|\
        dorenavant … plus en|desormais … plus en|dorenavant et plus|desormais et plus|\
        desormais … et non|dorenavant … et non|au lieu d* … desormais|\
        au lieu d* … a partir de maintenant|est maintenant limite|est desormais limite|\
        est limite* a #",
    vetoes: "ne t inquiete|ne vous inquietez|ne sais pas|ne pense pas|ne crois pas|\
        ne trouve pas|doit y avoir|j ai du|nous avons du|on a du|aurait du|aurions du|\
        n aurait jamais|j ai toujours|je n ai jamais|n a jamais|n ont jamais|n avait jamais|\
        n est jamais|commande toujours|echoue toujours|est toujours|marche toujours|\
        met/mettent au moins|prend/prennent au moins|je crois|^pas de probleme|\
        ^pas de souci|^pas mal|^pas grave|^pas sur|ne renvoie jamais|ne marche pas|\
        ne fonctionne pas|^pas du tout|^aucune idee|^aucun probleme|s il faut|\
        si … faut/doit/doivent|cuit/cuisent au moins|dure/durent au moins|qu on parle|\
        qu on se parle|il faut que je|n ouvre/ouvrent qu|il n y a plus",
    reports: "dit que|disent que|m a dit|a dit que|nous a dit|selon|d apres|\
        message d erreur|l erreur dit|la documentation dit|la doc dit|le manuel dit|\
        le message dit|on m a dit|personne ne m a dit|j ai lu|j ai entendu|je me demande|\
        je ne sais pas si|^pourquoi|^comment|^est ce|le … dit|la … dit|l … dit",
};
