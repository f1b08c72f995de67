/**
 * Number of the form in which a stack, and the data directory of one machine, keep what they store. It grows with a
 * change that this version's readers would not understand; nothing reads another form than its own.
 */
export const DATA_FORMAT = 4
