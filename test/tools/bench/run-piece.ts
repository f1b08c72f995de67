import type { Context } from 'aws-lambda'
import { handler } from '#functions/run-job/handler.ts'

/** Runs one step of a large load in a process of its own, so that its memory can be seen: `run-piece.ts EVENT`. */
const context = { awsRequestId: 'bench', functionName: 'run-job' } as Context // the logger reads no more
await handler(JSON.parse(process.argv[2] ?? ''), context)
