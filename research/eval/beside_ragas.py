"""Scores a saved evaluation by RAGAS's own code, and compares its figures with emend's.

    pip install ragas==0.4.3 "langchain-community<0.4"
    npx emend eval examples/questions.jsonl --limit 50 --save saved.jsonl
    python research/eval/beside_ragas.py saved.jsonl examples/questions.jsonl

RAGAS asks a chat model which passages are relevant and which statements hold. Here it is given emend's verdicts, so
that the formulas are compared and not the judges. Context recall is that by ids: the ids are the names of the documents
that a question's line has in "passages" or "documents". Prints for each figure on how many questions it is defined, on
how many both agree, and the largest difference. Exits with 1 if a formula differs.
"""

import asyncio
import json
import logging
import math
import os
import sys
import warnings

# Before the import: RAGAS reports its use otherwise, and warns that these classes will move.
os.environ["RAGAS_DO_NOT_TRACK"] = "true"
warnings.simplefilter("ignore", DeprecationWarning)

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics import Faithfulness, IDBasedContextRecall, LLMContextPrecisionWithReference, StringPresence
from ragas.metrics._context_precision import Verification
from ragas.metrics._faithfulness import NLIStatementOutput, StatementFaithfulnessAnswer

# RAGAS adds 1e-10 to the denominator of context precision.
SMALL = 1e-9


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def context_precision(row):
    if row["scores"]["context_precision"] is None:
        return None
    verdicts = [Verification(reason="", verdict=int(context["relevant"])) for context in row["contexts"]]
    return LLMContextPrecisionWithReference()._calculate_average_precision(verdicts)


def faithfulness(row):
    answers = [
        StatementFaithfulnessAnswer(statement=one["text"], reason="", verdict=int(one["supported"]))
        for one in row["statements"]
    ]
    return Faithfulness()._compute_score(NLIStatementOutput(statements=answers)) if answers else None


def names(source, wanted):
    return source == wanted or source.endswith("/" + wanted)


def context_recall(row, wanted):
    """Each retrieved document has the id by which the question names it, or its own."""
    sources = [context["source"] for context in row["contexts"]]
    ids = [next((one for one in wanted if names(source, one)), source) for source in sources]
    return scored(IDBasedContextRecall(), retrieved_context_ids=ids, reference_context_ids=wanted)


def string_presence(row):
    """1 if the answer has one of the expected texts. Defined for what emend counts as an answer, if there is a right one."""
    if row["outcome"] not in ("right", "wrong"):
        return None
    return max(scored(StringPresence(), response=row["text"], reference=one) for one in row["expected"])


def scored(metric, **sample):
    return asyncio.run(metric.single_turn_ascore(SingleTurnSample(**sample)))


def compare(name, pairs):
    """Returns the number of questions on which the two figures differ."""
    pairs = [(own, other) for own, other in pairs if own is not None and other is not None and not math.isnan(other)]
    apart = [abs(own - other) for own, other in pairs]
    agree = sum(difference <= SMALL for difference in apart)
    print(f"{name:18} n = {len(pairs):3}  same {agree:3}  largest difference {max(apart, default=0):.1e}")
    return len(pairs) - agree


def main(saved, questions):
    rows = [row for row in read_lines(saved)[1:] if row["system"] == "emend"]
    wanted = {
        one.get("id", one["question"]): one.get("passages", []) + one.get("documents", []) for one in read_lines(questions)
    }
    named = [row for row in rows if wanted[row["id"]]]
    differ = [
        compare("context_precision", [(row["scores"]["context_precision"], context_precision(row)) for row in rows]),
        compare("context_recall", [(row["scores"]["context_recall"], context_recall(row, wanted[row["id"]])) for row in named]),
        compare("faithfulness", [(row["scores"]["faithfulness"], faithfulness(row)) for row in rows]),
    ]
    compare("string_presence", [(row["scores"]["answer_correctness"], string_presence(row)) for row in rows])
    return 1 if any(differ) else 0


if __name__ == "__main__":
    logging.disable()
    sys.exit(main(*sys.argv[1:]))
