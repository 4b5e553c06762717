/** Says what to do with files of a kind that is not read, by extension with its dot; empty if there is nothing to do. */
export const adviceFor = (kind: string): string => ADVICE.get(kind) ?? "";

const ADVICE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "a recording: save what is said as .srt, .vtt or .txt":
      "mp3 wav m4a aac ogg flac wma mp4 mov avi mkv webm wmv m4v mpg mpeg",
    "a picture: recognise its text (OCR), and save it as .txt or PDF":
      "png jpg jpeg gif bmp tif tiff webp heic svg eps psd ai",
    "an archive: unpack it": "7z rar bz2 xz zst lz4 cab iso dmg",
    "a database: export its tables as .csv": "mdb accdb sqlite sqlite3 db dbf sav",
    "a spreadsheet: save it as .xlsx": "xlsb numbers wk1 wks sxc gsheet",
    "a text: save it as .docx or PDF": "wpd hwp hwpx sxw abw lwp one pub gdoc odm wri xps oxps djvu",
    "a presentation: save it as .pptx or PDF": "sxi gslides key",
    "a drawing: save it as .vsdx, .drawio or PDF": "vsd dwg dxf cdr",
    "a plan: save it as .xlsx or PDF": "mpp mpt",
    "a book: save it as .epub": "mobi azw azw3 fb2 lit",
    "mail: export it as .mbox, .eml or .msg": "pst ost nsf",
  }).flatMap(([advice, kinds]) => kinds.split(" ").map((kind): [string, string] => [`.${kind}`, advice])),
);
