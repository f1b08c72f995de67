/** What reading an answer may hold in memory. Everything else of it waits on the disk. */

/** A body that is larger goes to a file while it comes. */
export const BODY_IN_MEMORY_BYTES = 4 * 1024 * 1024

/** Of one item: a line, a CSV record. */
export const ITEM_BYTES = 16 * 1024 * 1024

/** Items that go to the tables at once, whichever is reached first. */
export const PART_ITEMS = 1_000
export const PART_BYTES = 1024 * 1024

/** Of a list in memory: rows of it for some seconds. A longer one is read in parts, so that a stop may come in between. */
export const LIST_ITEMS = 100_000
