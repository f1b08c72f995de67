import { main } from './main.ts'
import { exitCodes } from './shell/say-error.ts'
import { processShell } from './shell/shell.ts'

// A reader that has seen enough, such as head, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const code = await main(process.argv.slice(2), processShell)
// What was interrupted may still be under way here.
if (code === exitCodes.interrupted) process.exit(code)
process.exitCode = code
