//! Words by which an application says that something may be destroyed, in the languages that desktops speak.
//!
//! They are no proof, and an application that hides what it does is not found out by them. What is on the screen is data: a word can
//! make handeye ask a person, and none can keep it from asking.

/// Whole words, lower case.
const WORDS: &[&str] = &[
    // English
    "delete",
    "remove",
    "erase",
    "discard",
    "destroy",
    "wipe",
    "purge",
    "uninstall",
    "overwrite",
    "trash",
    "shred",
    "reset",
    "terminate",
    "kill",
    "reboot",
    "revoke",
    "irreversible",
    "irreversibly",
    "permanently",
    "buy",
    "purchase",
    "pay",
    // German
    "löschen",
    "lösche",
    "entfernen",
    "verwerfen",
    "vernichten",
    "zurücksetzen",
    "deinstallieren",
    "überschreiben",
    "herunterfahren",
    "endgültig",
    "unwiderruflich",
    "kaufen",
    "bezahlen",
    // French
    "supprimer",
    "effacer",
    "détruire",
    "désinstaller",
    "écraser",
    "réinitialiser",
    "retirer",
    "définitivement",
    "payer",
    "acheter",
    // Spanish, Portuguese
    "eliminar",
    "borrar",
    "suprimir",
    "destruir",
    "desinstalar",
    "sobrescribir",
    "restablecer",
    "descartar",
    "excluir",
    "apagar",
    "remover",
    "sobrescrever",
    "redefinir",
    "permanentemente",
    "comprar",
    "pagar",
    // Italian
    "elimina",
    "eliminare",
    "cancella",
    "cancellare",
    "rimuovi",
    "rimuovere",
    "distruggi",
    "disinstalla",
    "sovrascrivi",
    "scarta",
    "definitivamente",
    "acquista",
    "paga",
    // Dutch
    "verwijderen",
    "verwijder",
    "wissen",
    "weggooien",
    "vernietigen",
    "overschrijven",
    "definitief",
    "betalen",
    "kopen",
    // Swedish, Danish, Norwegian, Finnish
    "radera",
    "slet",
    "slett",
    "fjern",
    "forkast",
    "släng",
    "avinstallera",
    "poista",
    "hylkää",
    // Polish, Czech
    "usuń",
    "usunąć",
    "skasuj",
    "wyczyść",
    "odinstaluj",
    "nadpisz",
    "odrzuć",
    "odstranit",
    "smazat",
    "vymazat",
    "zahodit",
    // Russian, Ukrainian
    "удалить",
    "стереть",
    "очистить",
    "уничтожить",
    "сбросить",
    "перезаписать",
    "отформатировать",
    "видалити",
    "стерти",
    // Turkish, Arabic, Hebrew
    "sil",
    "kaldır",
    "حذف",
    "مسح",
    "מחק",
    "מחיקה",
];

/// Words next to each other, lower case.
const PHRASES: &[&[&str]] = &[
    &["clear", "all"],
    &["clear", "data"],
    &["clear", "history"],
    &["don", "t", "save"],
    &["dont", "save"],
    &["do", "not", "save"],
    &["without", "saving"],
    &["empty", "trash"],
    &["empty", "bin"],
    &["force", "quit"],
    &["force", "stop"],
    &["shut", "down"],
    &["power", "off"],
    &["drop", "table"],
    &["drop", "database"],
    &["format", "disk"],
    &["format", "drive"],
    &["format", "partition"],
    &["format", "volume"],
    &["place", "order"],
    &["be", "undone"],
    &["will", "be", "lost"],
    &["be", "replaced"],
    &["nicht", "speichern"],
    &["ohne", "speichern"],
    &["papierkorb", "leeren"],
    &["ne", "pas", "enregistrer"],
    &["sans", "enregistrer"],
    &["vider", "la", "corbeille"],
    &["no", "guardar"],
    &["sin", "guardar"],
    &["vaciar", "la", "papelera"],
    &["não", "salvar"],
    &["não", "guardar"],
    &["sem", "salvar"],
    &["non", "salvare"],
    &["senza", "salvare"],
    &["svuota", "il", "cestino"],
    &["niet", "opslaan"],
    &["zonder", "opslaan"],
    &["ta", "bort"],
    &["spara", "inte"],
    &["gem", "ikke"],
    &["ikke", "lagre"],
    &["älä", "tallenna"],
    &["nie", "zapisuj"],
    &["не", "сохранять"],
];

/// Parts of a text in scripts that put no space between words.
const PARTS: &[&str] = &[
    // Chinese
    "删除",
    "刪除",
    "移除",
    "清空",
    "清除",
    "卸载",
    "解除安裝",
    "覆盖",
    "覆寫",
    "格式化",
    "不保存",
    "不儲存",
    "丢弃",
    "捨棄",
    "抹掉",
    "重置",
    // Japanese
    "削除",
    "消去",
    "破棄",
    "上書き",
    "初期化",
    "保存しない",
    "アンインストール",
    "ゴミ箱を空",
    // Korean
    "삭제",
    "제거",
    "지우기",
    "초기화",
    "덮어쓰",
    "저장 안 함",
    "버리기",
];

/// Labels that agree to what a dialog asks, lower case.
const AFFIRMATIVE: &[&str] = &[
    "ok",
    "okay",
    "yes",
    "continue",
    "proceed",
    "confirm",
    "accept",
    "agree",
    "apply",
    "replace",
    "go",
    "do it",
    "yes to all",
    "ja",
    "fortfahren",
    "weiter",
    "bestätigen",
    "ersetzen",
    "oui",
    "continuer",
    "confirmer",
    "remplacer",
    "valider",
    "sí",
    "si",
    "continuar",
    "aceptar",
    "confirmar",
    "reemplazar",
    "sim",
    "substituir",
    "sì",
    "continua",
    "conferma",
    "sostituisci",
    "doorgaan",
    "bevestigen",
    "vervangen",
    "fortsätt",
    "fortsæt",
    "fortsett",
    "kyllä",
    "jatka",
    "tak",
    "kontynuuj",
    "zastąp",
    "ano",
    "pokračovat",
    "nahradit",
    "да",
    "продолжить",
    "подтвердить",
    "заменить",
    "так",
    "evet",
    "devam",
    "نعم",
    "כן",
    "是",
    "确定",
    "確定",
    "继续",
    "繼續",
    "替换",
    "はい",
    "続行",
    "置き換え",
    "예",
    "확인",
    "계속",
];

/// Labels that say no, lower case: to a dialog that asks whether to save, that is to lose.
const NO: &[&str] = &[
    "no",
    "nein",
    "non",
    "não",
    "nee",
    "nej",
    "nei",
    "ei",
    "nie",
    "ne",
    "нет",
    "ні",
    "hayır",
    "لا",
    "לא",
    "否",
    "いいえ",
    "아니요",
];

/// What a dialog says that asks whether to save, lower case.
const SAVE: &[&str] = &[
    "save",
    "speichern",
    "enregistrer",
    "guardar",
    "salvar",
    "salvare",
    "opslaan",
    "spara",
    "gemme",
    "lagre",
    "tallenna",
    "zapisać",
    "uložit",
    "сохранить",
    "зберегти",
    "kaydet",
    "保存",
    "儲存",
    "저장",
];

/// Where things are thrown away, lower case.
const TRASH: &[&str] = &[
    "trash",
    "bin",
    "wastebasket",
    "recycle",
    "papierkorb",
    "corbeille",
    "papelera",
    "lixeira",
    "cestino",
    "prullenbak",
    "papperskorg",
    "kosz",
    "koš",
    "корзина",
    "кошик",
    "çöp",
    "回收站",
    "ゴミ箱",
    "휴지통",
];

/// Whether the text says that something may be destroyed.
pub(super) fn is_destructive(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> = words(&text).collect();
    words.iter().any(|word| WORDS.contains(word))
        || PHRASES.iter().any(|phrase| words.windows(phrase.len()).any(|run| run == *phrase))
        || PARTS.iter().any(|part| text.contains(part))
}

/// Whether a label agrees to what its dialog asks.
pub(super) fn is_affirmative(label: &str) -> bool {
    is_label(label, AFFIRMATIVE)
}

/// Whether a label says no.
pub(super) fn is_no(label: &str) -> bool {
    is_label(label, NO)
}

/// Whether a dialog asks whether to save.
pub(super) fn asks_to_save(text: &str) -> bool {
    has_any(text, SAVE)
}

/// Whether a label names a place where things are thrown away.
pub(super) fn is_trash(label: &str) -> bool {
    has_any(label, TRASH)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn has_any(text: &str, known: &[&str]) -> bool {
    let text = text.to_lowercase();
    words(&text).any(|word| known.contains(&word))
        || known.iter().any(|part| !part.is_ascii() && text.contains(part))
}

/// Whether the whole label is one of those, without mnemonics and punctuation.
fn is_label(label: &str, known: &[&str]) -> bool {
    let label = label.to_lowercase().replace(['_', '&'], "");
    let words: Vec<&str> = words(&label).collect();
    let label = words.join(" ");
    known.contains(&label.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_of_many_languages_are_known() {
        for label in [
            "Delete",
            "DELETE ALL DATA",
            "_Delete…",
            "Move to Trash",
            "Don't Save",
            "Don’t save",
            "Close without Saving",
            "Empty Trash",
            "Löschen",
            "Nicht speichern",
            "Supprimer",
            "Eliminar",
            "Elimina",
            "Excluir",
            "Verwijderen",
            "Ta bort",
            "Usuń",
            "Удалить",
            "删除",
            "完全に削除",
            "삭제하기",
            "Sil",
            "Uninstall…",
            "Reset settings",
            "Shut Down",
        ] {
            assert!(is_destructive(label), "{label}");
        }
    }

    #[test]
    fn everyday_labels_are_not() {
        for label in [
            "",
            "Save",
            "Undelete",
            "Deleted Items",
            "Open",
            "Cancel",
            "OK",
            "Format",
            "Clear",
            "Removable media",
            "Replace",
            "Find and Replace",
            "Kapitel",
            "Silber",
            "Payments",
            "Restart",
            "Abbrechen",
            "Cancelar",
            "保存",
            "Asil",
        ] {
            assert!(!is_destructive(label), "{label}");
        }
    }

    #[test]
    fn answers_of_a_dialog_are_known_as_whole_labels() {
        for label in ["OK", "_OK", "&Yes", "Yes!", "Ja", "Continue", "はい", "Oui"] {
            assert!(is_affirmative(label), "{label}");
        }
        for label in ["Save", "Cancel", "No", "OK Corral", "Yesterday", ""] {
            assert!(!is_affirmative(label), "{label}");
        }
        assert!(is_no("_No") && !is_no("Notes"));
        assert!(asks_to_save("Do you want to save the changes?") && !asks_to_save("Saves the day"));
        assert!(is_trash("Recycle Bin") && is_trash("Papierkorb") && !is_trash("Binary"));
    }

    proptest! {
        #[test]
        fn what_stands_around_a_word_does_not_hide_it(before in "[ .,:!_-]{0,6}", after in "[ .,:…!_-]{0,6}", word in prop::sample::select(WORDS)) {
            let text = format!("{before}{}{after}", word.to_uppercase());
            // Some letters have more than one lower case (the Turkish dotless i).
            prop_assume!(word.to_uppercase().to_lowercase() == word);
            prop_assert!(is_destructive(&text));
        }

        #[test]
        fn no_text_is_too_strange(text in ".*") {
            let (_, _, _, _, _) = (is_destructive(&text), is_affirmative(&text), is_no(&text), asks_to_save(&text), is_trash(&text));
        }
    }
}
