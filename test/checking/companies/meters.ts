import type { CompanyClaims } from "./claims.js";

/** An invented maker of flow meters. The last two claims of each list were held out until the checks were finished. */
export const METERS: CompanyClaims = {
  sources: [
    {
      title: "Products",
      uri: "products.md",
      text: `# Flow meters

| Model | Weight | Range | Housing | Protocol | Warranty | List price |
|-|-|-|-|-|-|-|
| FM-20 | 1.4 kg | 0.5 to 60 l/min | aluminium | IO-Link | 24 months | 480 EUR |
| FM-35 | 2.9 kg | 2 to 240 l/min | stainless steel | EtherCAT | 36 months | 910 EUR |
| FM-50 | 6.1 kg | 10 to 900 l/min | stainless steel | PROFINET | 36 months | 1,650 EUR |

## Spare parts

- Seal kit SK-1: for the FM-20, 35 EUR, delivered within 3 days
- Seal kit SK-2: for the FM-35 and FM-50, 60 EUR, in stock in Lyon
- Display module D4: discontinued in March 2022, replaced by D5
- Mains adapter PA-2: 24 V, 2 m cable
`,
    },
    {
      title: "Handbook",
      uri: "handbook.md",
      text: `# Handbook

## Leave

Employees have 27 days of paid leave a year. Up to five days may be carried over; they expire on 31 March. Parental leave
lasts 14 weeks at full pay. Probation lasts six months.

## Travel

Hotel limits per night:

| City | Limit | Breakfast included |
|-|-|-|
| Oslo | 190 EUR | yes |
| Lisbon | 120 EUR | no |
| Prague | 110 EUR | yes |

Trains are booked in second class. Flights under four hours are not booked in business class. Ingrid Solberg approves
trips outside Europe; Marc Dufour approves everything else. Taxi receipts are reimbursed within ten working days.
`,
    },
    {
      title: "The company",
      uri: "company.txt",
      text: `Brannick Instruments was founded in 1987 in Ghent by Hanne Verbeke. It has 212 employees in Ghent, Lyon and Oslo. The Lyon plant opened on 4 May 2009. Tomás Rey has led development since 2018, and Priya Nair heads support. Sales reached 38 million euros in 2023, against 33 million the year before. The plant in Lyon does not run night shifts. The company is certified to ISO 9001 but not to ISO 14001.
`,
    },
    {
      title: "Service",
      uri: "service.md",
      text: `# Service

Repairs take eight working days. A calibration costs 145 EUR and is valid for 12 months. Support is reached from 8:00 to
17:00 on weekdays. Returned meters must be cleaned before shipping. The calibration laboratory is closed from 20 December
to 3 January.

Firmware 4.2 added Modbus RTU to the FM-20; Modbus TCP is not available. The FM-35 draws 450 mA. The cable may be up to
30 m long.
`,
    },
  ],
  claims: {
    number: {
      wrong: [
        "Brannick Instruments has 312 employees.",
        "Employees get 22 days of paid leave each year.",
        "Up to eight leave days can be carried over to the next year.",
        "A calibration is priced at 415 EUR.",
      ],
      right: [
        "Brannick employs 212 people.",
        "Staff are entitled to 27 days of paid leave a year.",
        "As many as 5 days of leave can be carried over.",
        "Calibrating a meter costs 145 euros.",
      ],
    },
    unit: {
      wrong: [
        "Repairs take eight weeks.",
        "Parental leave lasts 14 days at full pay.",
        "The cable may be up to 30 cm long.",
        "The FM-35 draws 450 A.",
      ],
      right: [
        "The FM-20 comes with a two-year warranty.",
        "A calibration stays valid for one year.",
        "The FM-35 draws 0.45 A.",
        "The FM-35 weighs 2,900 g.",
      ],
    },
    date: {
      wrong: [
        "The Lyon plant opened in May 2006.",
        "Brannick Instruments was founded in 1978.",
        "Unused leave days expire on 31 May.",
        "The calibration laboratory is closed from 20 December to 13 January.",
      ],
      right: [
        "Brannick was founded in Ghent in 1987.",
        "The plant in Lyon has been open since 4 May 2009.",
        "Carried-over days are lost after March 31.",
        "The D4 display module was discontinued in 2022.",
      ],
    },
    name: {
      wrong: [
        "Marc Dufour approves trips outside Europe.",
        "Priya Nair leads development.",
        "Brannick was founded by Ingrid Solberg.",
        "The FM-20 supports Modbus TCP.",
      ],
      right: [
        "Ingrid Solberg has to approve travel outside Europe.",
        "Priya Nair is the head of support.",
        "The founder of the company is Hanne Verbeke.",
        "Development has been led by Tomás Rey since 2018.",
      ],
    },
    negation: {
      wrong: [
        "The company is certified to ISO 14001.",
        "The Lyon plant runs night shifts.",
        "Flights under four hours are booked in business class.",
        "Returned meters need not be cleaned before they are shipped.",
      ],
      right: [
        "There are no night shifts at the Lyon plant.",
        "Brannick holds no ISO 14001 certificate.",
        "Meters have to be cleaned before they are sent back.",
        "Business class isn't booked for flights of less than four hours.",
      ],
    },
    "table row": {
      wrong: [
        "The FM-20 weighs 2.9 kg.",
        "The hotel limit in Lisbon is 190 EUR per night.",
        "The FM-50 uses EtherCAT.",
        "The FM-35 costs 1,650 EUR.",
      ],
      right: [
        "The FM-35 weighs 2.9 kg.",
        "In Lisbon a hotel may cost up to 120 EUR a night.",
        "The FM-50 speaks PROFINET.",
        "The list price of the FM-35 is 910 EUR.",
      ],
    },
    "list entry": {
      wrong: [
        "Seal kit SK-1 costs 60 EUR.",
        "The SK-2 seal kit fits the FM-20.",
        "The seal kit SK-1 is in stock in Lyon.",
        "The mains adapter PA-2 is delivered within 3 days.",
      ],
      right: [
        "The SK-2 seal kit is available for 60 EUR.",
        "Seal kit SK-1 fits the FM-20.",
        "SK-1 is delivered within three days.",
        "The D4 display module was replaced by the D5.",
      ],
    },
  },
};
