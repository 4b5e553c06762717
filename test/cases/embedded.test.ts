import { casesHold, temporaryStores } from "./hold.js";

casesHold("the embedded store", await temporaryStores());
