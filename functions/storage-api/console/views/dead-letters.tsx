import type { DeadLetterBody } from '#lib/wire/dead-letter-body.ts'
import { readable } from '../format.ts'
import { Empty } from '../layout.tsx'
import { Confirm } from '../parts.tsx'

/** What failed and waits for somebody: why, with which input, and what can be done. */
export const DeadLetterList = ({ letters }: { letters: readonly DeadLetterBody[] }) =>
  letters.length === 0 ? (
    <Empty>Nothing has failed that waits for you.</Empty>
  ) : (
    <>
      <form method="post" action="/console/dead-letters/redrive" class="actions">
        <button type="submit">Start all of them again</button>
      </form>
      {letters.map(letter => (
        <section class="panel">
          <h2>
            {letter.machine}, {letter.created}
          </h2>
          <p class="problem">
            {letter.failure.message} <code>{letter.failure.code}</code>
          </p>
          <details>
            <summary>Input and details</summary>
            <pre>{readable({ input: letter.input, details: letter.details })}</pre>
          </details>
          {letter.hasNewestVersion && (
            <p class="hint">
              "Start it again" loads the version that failed: right once its cause is mended elsewhere. Is
              there a mended file under the same key? Then start it with the newest file.
            </p>
          )}
          <div class="actions">
            {letter.isRedrivable ? (
              <form method="post" action={`/console/dead-letters/${letter.id}/redrive`}>
                <button type="submit">Start it again</button>
                {letter.hasNewestVersion && (
                  <button type="submit" name="version" value="newest">
                    Start it with the newest file
                  </button>
                )}
              </form>
            ) : (
              <p class="hint">{letter.redrive}</p>
            )}
            <Confirm
              id={`delete-${letter.id}`}
              verb="Delete the letter"
              label="Delete"
              action={`/console/dead-letters/${letter.id}/delete`}
            >
              What failed is given up: it cannot be started again from here.
            </Confirm>
          </div>
        </section>
      ))}
    </>
  )
