import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Writes a cross-encoder so small that it fits in a test, and gives its folder: an ONNX graph without weights that gives
 * "entailment" 12 times the share of the second text's known tokens that the first one has, less 8, and "contradiction"
 * the reverse; with a tokenizer that knows the words of the contract, and each Chinese character of it.
 */
export function writeOverlapModel(): string {
  const folder = mkdtempSync(join(tmpdir(), "emend-overlap-"));
  mkdirSync(join(folder, "onnx"));
  writeFileSync(join(folder, "onnx", "model_quantized.onnx"), Buffer.from(GRAPH.join(""), "base64"));
  const write = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value));
  const labels = ["entailment", "neutral", "contradiction"];
  write("config.json", {
    model_type: "bert",
    architectures: ["BertForSequenceClassification"],
    id2label: Object.fromEntries(labels.map((label, i) => [i, label])),
    label2id: Object.fromEntries(labels.map((label, i) => [label, i])),
    vocab_size: VOCABULARY.length,
    pad_token_id: 0,
  });
  write("tokenizer_config.json", {
    tokenizer_class: "BertTokenizer",
    model_max_length: 512,
    pad_token: "[PAD]",
    unk_token: "[UNK]",
    cls_token: "[CLS]",
    sep_token: "[SEP]",
    mask_token: "[MASK]",
  });
  const special = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const text = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  write("tokenizer.json", {
    version: "1.0",
    added_tokens: SPECIAL.map((content, id) => ({ id, content, special: true, normalized: false })),
    normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [special("[CLS]", 0), text("A", 0), special("[SEP]", 0)],
      pair: [special("[CLS]", 0), text("A", 0), special("[SEP]", 0), text("B", 1), special("[SEP]", 1)],
      special_tokens: Object.fromEntries(
        ["[CLS]", "[SEP]"].map((token) => [token, { id: token, ids: [SPECIAL.indexOf(token)], tokens: [token] }]),
      ),
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(VOCABULARY.map((word, i) => [word, i])),
    },
  });
  return folder;
}

const SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const WORDS = "the office opens closes at nine five canteen is on first floor beside library room and of . ,";
const VOCABULARY = [
  ...SPECIAL,
  ...WORDS.split(" "),
  ...Array.from({ length: 20 }, (_, i) => String(i)),
  ...new Set("办公室九点开门食堂在一楼就图书馆旁边房间层"),
];

const GRAPH = [
  "CAk6ggcKIAoJaW5wdXRfaWRzCgRmaXZlEgR3b3JkIgdHcmVhdGVyCiIKDnRva2VuX3R5cGVfaWRzCgNvbmUSBHNlZzEiBUVxdWFsChEKBHNlZz",
  "ESBHNlZzAiA05vdAoWCgR3b3JkCgRzZWcxEgNoeXAiA0FuZAoWCgR3b3JkCgRzZWcwEgNwcmUiA0FuZAoeCglpbnB1dF9pZHMKA2F4MhIBYSIJ",
  "VW5zcXVlZXplCh4KCWlucHV0X2lkcwoDYXgxEgFiIglVbnNxdWVlemUKEwoBYQoBYhIEc2FtZSIFRXF1YWwKGwoDcHJlCgNheDESBHByZWIiCV",
  "Vuc3F1ZWV6ZQoWCgRzYW1lCgRwcmViEgNoaXQiA0FuZAocCgNoaXQSBGhpdGYiBENhc3QqCQoCdG8YAaABAgosCgRoaXRmCgNheDISA2hhcyIJ",
  "UmVkdWNlTWF4Kg8KCGtlZXBkaW1zGACgAQIKHAoDaHlwEgRoeXBmIgRDYXN0KgkKAnRvGAGgAQIKFQoDaGFzCgRoeXBmEgNtZXQiA011bAopCg",
  "NtZXQKA2F4MRIBbSIJUmVkdWNlU3VtKg8KCGtlZXBkaW1zGAGgAQIKKgoEaHlwZgoDYXgxEgFuIglSZWR1Y2VTdW0qDwoIa2VlcGRpbXMYAaAB",
  "AgoRCgFuCgNlcHMSAm5lIgNBZGQKEwoBbQoCbmUSBXNoYXJlIgNEaXYKFAoFc2hhcmUKA211bBIBcyIDTXVsChUKAXMKA2FkZBIGbG9naXRzIg",
  "NBZGQSB292ZXJsYXAqEwgBEAdCA2F4MUoIAQAAAAAAAAAqEwgBEAdCA2F4MkoIAgAAAAAAAAAqEhAHQgRmaXZlSggEAAAAAAAAACoREAdCA29u",
  "ZUoIAQAAAAAAAAAqDwgBEAFCA2Vwc0oEvTeGNSoZCAEIAxABQgNtdWxKDAAAQEEAAAAAAABAwSoZCAEIAxABQgNhZGRKDAAAAMEAAAAAAAAAQV",
  "omCglpbnB1dF9pZHMSGQoXCAcSEwoHEgViYXRjaAoIEgZsZW5ndGhaKwoOYXR0ZW50aW9uX21hc2sSGQoXCAcSEwoHEgViYXRjaAoIEgZsZW5n",
  "dGhaKwoOdG9rZW5fdHlwZV9pZHMSGQoXCAcSEwoHEgViYXRjaAoIEgZsZW5ndGhiHQoGbG9naXRzEhMKEQgBEg0KBxIFYmF0Y2gKAggDQgQKAB",
  "AS",
];
