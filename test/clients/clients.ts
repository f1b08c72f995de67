import { runSuites } from '../contracts/run-suites.ts'
import { goSdkSuite } from './go-sdk-suite.ts'
import { kbagentSuite } from './kbagent-suite.ts'
import { keboolaAsCodeSuite } from './keboola-as-code-suite.ts'
import { mcpServerSuite } from './mcp-server-suite.ts'
import { phpClientSuite } from './php-client-suite.ts'
import { pythonClientSuite } from './python-client-suite.ts'

/** `npm run clients`: the own suites of public clients, as they are, against `npm start`. */
await runSuites(
  [pythonClientSuite, goSdkSuite, keboolaAsCodeSuite, kbagentSuite, mcpServerSuite, phpClientSuite],
  process.argv.slice(2),
)
