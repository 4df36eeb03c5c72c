//! The labels of sections. Owns every name that models give them, in the languages they answer in.
//! May not choose what goes in a section.

use crate::policy::language::folded;

use super::Section;

/// Each section's names, without marks: the one that is written first, then English, Portuguese,
/// Spanish, German, French, Italian, Russian, Chinese, Japanese and Korean ones.
const NAMES: [(Section, &str); 10] = [
    (
        Section::Goal,
        "goal|goals|task|objective|objectives|user goal|objetivo|objetivos|meta|ziel|ziele|aufgabe|\
         objectif|objectifs|but|obiettivo|obiettivi|цель|цели|目标|目的|目標|목표",
    ),
    (
        Section::Decisions,
        "decisions|decision|key decisions|constraints|decisoes|decisao|restricoes|decisiones|\
         restricciones|entscheidungen|entscheidung|vorgaben|décisions|contraintes|decisioni|решения|\
         决定|决策|約束|约束|決定|決定事項|결정|결정 사항",
    ),
    (
        Section::Done,
        "done|completed|finished|progress|feito|concluido|concluida|hecho|completado|terminado|\
         erledigt|fertig|abgeschlossen|fait|terminé|accompli|fatto|completato|сделано|готово|\
         已完成|完成|完了|済み|완료",
    ),
    (
        Section::Files,
        "files|file|files changed|files touched|arquivos|ficheiros|archivos|ficheros|dateien|\
         fichiers|file modificati|файлы|文件|ファイル|파일",
    ),
    (
        Section::State,
        "state|current state|status|current status|estado|estado atual|estado actual|situacao|\
         situacion|stand|zustand|aktueller stand|état|état actuel|stato|stato attuale|состояние|\
         状态|当前状态|現状|状態|상태|현재 상태",
    ),
    (
        Section::NextSteps,
        "next steps|next-steps|next step|next|todo|todos|to do|remaining|open tasks|proximos passos|\
         proximo passo|pendente|siguientes pasos|proximos pasos|pendiente|nächste schritte|\
         naechste schritte|offen|prochaines étapes|étapes suivantes|à faire|prossimi passi|\
         следующие шаги|дальше|下一步|后续步骤|待办|次のステップ|次の手順|今後|다음 단계",
    ),
    (
        Section::OpenQuestions,
        "open questions|open question|questions|perguntas em aberto|perguntas abertas|questoes em aberto|\
         preguntas abiertas|cuestiones abiertas|offene fragen|questions ouvertes|questions en suspens|\
         domande aperte|открытые вопросы|未决问题|待定问题|未解決の質問|未解決事項|미해결 질문",
    ),
    (
        Section::Facts,
        "facts|fact|key facts|errors|durable facts|fatos|factos|erros|hechos|datos|errores|fakten|\
         fehler|faits|erreurs|fatti|errori|факты|事实|错误|事実|エラー|사실",
    ),
    (
        Section::Dropped,
        "dropped|expand for details about|left out|omitted|omitido|omitidos|deixado de fora|\
         omitido|weggelassen|ausgelassen|omis|laissé de côté|omesso|опущено|省略|略去|省略した内容|생략",
    ),
    (
        Section::Narrative,
        "narrative|summary|overview|notes|arc|timeline|narrativa|resumo|resumen|notas|verlauf|\
         zusammenfassung|überblick|récit|résumé|aperçu|chronologie|chronologia|linha do tempo|\
         cronologia|zeitleiste|narrazione|riassunto|рассказ|итог|叙述|概述|总结|摘要|时间线|経緯|\
         概要|要約|時系列|서술|요약",
    ),
];

/// Reads a label as models write it.
pub(super) fn read(label: &str) -> Option<Section> {
    // No label is longer, and folding a whole line would cost.
    if label.len() > 64 {
        return None;
    }
    let name = folded(label).replace('_', " ");
    let name = name.trim();
    let found = NAMES.iter().find(|(_, names)| {
        names
            .split('|')
            .any(|known| !name.is_empty() && folded(known) == name)
    });
    found.map(|(section, _)| *section)
}
