//! The commonest words of languages, without marks.

use super::Language;

/// Returns words that are common in a language; none for those told by their script.
pub(super) const fn common(language: Language) -> &'static str {
    match language {
        Language::English => {
            "the of and to in on is it you that was for are with as i his they be this have from or \
             had by not but what all were we when your can said there use an each which she do how \
             their if will up other about out then them these so some her would make like him has \
             look two more go no my than been who its now did get may never always only don must \
             should please keep after before again could into any our me just where why said say says told asked mentioned about"
        }
        Language::Portuguese => {
            "o a os as um uma de do da dos das no na nos nas em por para com sem e ou mas que se \
             nao sim mais menos muito ja so tambem quando como onde porque isso isto este esta \
             esse essa ele ela eles elas voce voces eu meu minha seu sua foi ser sao esta estao \
             tem ter deve devem pode nunca sempre apenas agora ate pelo pela ao aos quero use nada \
             todas todos cada favor a gente depois antes disse falei falou dizer coisa qualquer sobre podem posso vai vou tenho temos fica ficar estou"
        }
        Language::Spanish => {
            "el la los las un una unos unas de del al en por para con sin y o pero que se no si \
             mas menos muy ya solo tambien cuando como donde porque eso esto este esta ese esa el \
             ella ellos usted yo mi su sus fue ser son esta estan tiene tener debe deben puede \
             nunca siempre ahora hasta lo le les me te nos quiero usa nada todas todos cada favor \
             hay hace antes despues hacer dije dijo decir cosa cualquier del van va sobre puedes puedo tengo tienes volver estoy ha han he"
        }
        Language::German => {
            "der die das den dem des ein eine einen einem einer und oder aber nicht kein keine \
             keinen ist sind war waren sein hat haben hatte wird werden wurde ich du er sie es wir \
             ihr mich mir dich dir sich mit ohne von vom zu zum zur in im auf an am bei nach vor \
             aus uber unter fur als wie wenn weil dass so nur auch noch schon mehr immer nie bitte \
             alle jede jeder jetzt muss mussen darf kann soll gesagt sagte sage habe hast kannst darfst musst wieder durfen konnen sollen mein meine dein diese dieser"
        }
        Language::French => {
            "le la les l un une des de du d au aux en par pour avec sans et ou mais que qui qu se \
             ne n pas plus moins tres deja seulement aussi quand comme ce cette ces cela ca il elle \
             ils elles je j tu nous vous on me te moi toi mon ma mes ton ta son sa ses leur est \
             sont etait etre a ont avoir doit doivent peut faut jamais toujours maintenant dans sur \
             sous tout tous toutes chaque y s t c veux rien dit ai dis chose quoi soit peux pouvez fait fais"
        }
        Language::Italian => {
            "il lo la i gli le un uno una di del della dei delle da dal in nel nella con su per tra \
             e o ma che se non si piu meno molto gia solo anche quando come dove perche questo \
             questa quello quella lui lei loro io mio mia suo sua e essere sono ha hanno avere deve \
             devono puo mai sempre ora adesso nulla niente tutti tutte ogni al alla ai alle prima \
             dopo grazie puoi posso devi hai ho"
        }
        // Characters that say how others hang together.
        Language::Chinese => {
            "的 了 我 你 您 他 她 它 们 在 是 就 也 都 还 把 被 给 和 与 及 这 那 之 吧 呢 啊 吗 要 不 有 \
             会 能 可 以 用 说 让 再 请 得 着 过 从 到 对 为 而 或 但 很 又 别 没 里 前 后 时"
        }
        _ => "",
    }
}

/// Returns the words that deny in a language; what denies only beside another word is left out.
pub(super) const fn negations(language: Language) -> &'static str {
    match language {
        Language::English => {
            "not no never none nothing neither nor without cannot don doesn didn isn aren wasn \
             weren won mustn shouldn couldn wouldn hasn haven hadn unable forbidden prohibited"
        }
        Language::Portuguese => "nao nunca jamais nada nenhum nenhuma nem sem proibido proibida",
        Language::Spanish => "no nunca jamas nada ningun ninguna ni sin prohibido prohibida",
        Language::German => {
            "nicht nie niemals nichts kein keine keinen keinem keiner ohne weder verboten"
        }
        Language::French => "pas jamais rien aucun aucune ni sans interdit interdite",
        Language::Italian => "non mai niente nulla nessun nessuna ne senza vietato vietata",
        Language::Russian => "не нет никогда ничего ни без нельзя запрещено",
        Language::Arabic => "لا لم لن ليس بدون دون غير ممنوع",
        Language::Chinese => "不 没 别 未 无 禁止 勿",
        Language::Japanese => "ない ません なし ず 禁止 不可",
        Language::Korean => "않 없 지마 지 말 못 금지",
        Language::Thai => "ไม่ ห้าม อย่า",
    }
}
