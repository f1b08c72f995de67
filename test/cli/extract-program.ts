import { Command } from 'commander'
import { registerExtract } from '../../cli/extract.ts'

/** The `extract` command alone, as a process of its own. */
const program = new Command('millrace')
registerExtract(program)
await program.parseAsync()
