import { afterAll, expect, test } from "vitest";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";
import { call, task } from "./local-evidence.js";

const encoder = onnxEncoder();
const { grader } = localReasoners({ encoder });
afterAll(() => encoder.close());

const TEXTS = {
  German:
    "Mitarbeiter der Firma Nordwind haben im Jahr 25 Urlaubstage. Nicht genommener Urlaub verfällt am 31. März. Die Küche öffnet um acht Uhr.",
  French:
    "Les salariés de Nordwind ont 25 jours de congé par an. Les congés non pris expirent le 31 mars. La cantine ouvre à huit heures.",
  Spanish:
    "Los empleados de Nordwind tienen 25 días de vacaciones al año. Las vacaciones no disfrutadas caducan el 31 de marzo. La cocina abre a las ocho.",
  Japanese:
    "ノルドウィンド社の社員は年に二十五日の有給休暇があります。使わなかった休暇は三月末に失効します。食堂は八時に開きます。",
};

test.each([
  ["German", "Wie viele Urlaubstage haben Mitarbeiter bei Nordwind?", "Wie hoch ist der Schmelzpunkt von Kupfer?"],
  ["French", "Combien de jours de congé ont les salariés ?", "Quel est le point de fusion du cuivre ?"],
  ["Spanish", "¿Cuántos días de vacaciones tienen los empleados?", "¿Cuál es el punto de fusión del cobre?"],
  ["Japanese", "社員の有給休暇は年に何日ありますか。", "銅の融点は何度ですか。"],
] as const)(
  "separates questions that a %s text answers from those that it does not",
  async (language, answered, open) => {
    const grade = async (question: string) =>
      (await grader.grade(task(question, TEXTS[language]), call())).answerability;
    // The encoder was not trained on these languages, so it may be unsure.
    expect(["full", "unknown"]).toContain(await grade(answered));
    expect(await grade(open)).toBe("none");
  },
);
