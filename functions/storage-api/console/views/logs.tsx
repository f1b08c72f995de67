/** Where the log lines of a piece of work are. */
export const Logs = ({ correlationId }: { correlationId: string }) => (
  <>
    <h2>Log lines</h2>
    <p>
      On one machine: <code>npx millrace logs --lines 1000 --json | grep '{correlationId}'</code>
    </p>
    <p>
      In an account, a query of CloudWatch Logs Insights over the groups of the stack:{' '}
      <code>filter correlationId = '{correlationId}' | sort @timestamp</code>
    </p>
  </>
)
