import { tmpdir } from 'node:os'
import path from 'node:path'

/** Where the table engine works. Between two pieces of work, nothing in it is needed. */
export const tablesScratch = path.join(tmpdir(), 'millrace-tables')
