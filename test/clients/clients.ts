import { runSuites } from '../contracts/run-suites.ts'
import { pythonClientSuite } from './python-client-suite.ts'

/** `npm run clients`: the own suites of public clients, as they are, against `npm start`. */
await runSuites([pythonClientSuite], process.argv.slice(2))
