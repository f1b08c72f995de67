import type { Child } from 'hono/jsx'
import * as z from 'zod/mini'
import type { DeadLetterBody } from '#lib/wire/dead-letter-body.ts'
import { counted, readable } from '../format.ts'
import { Empty, Grid } from '../layout.tsx'
import { Confirm, Time } from '../parts.tsx'
import { pathOf } from './links.tsx'

const object = z.object({ key: z.string() })
const configuration = z.object({ componentId: z.string(), configId: z.string() })
const event = z.object({ detail: z.object({ object }) })

/** The file or the configuration that it is about. */
const subjectOf = ({ machine, input }: DeadLetterBody): Child => {
  const file = object.safeParse(input).data ?? event.safeParse(input).data?.detail.object
  if (file !== undefined) return `Import of ${file.key}`
  const { data } = configuration.safeParse(input)
  if (data === undefined) return `A piece of work of the machine ${machine}`
  return (
    <>
      Run of <a href={pathOf(data.componentId, data.configId)}>{data.configId}</a>
    </>
  )
}

/** What failed and waits for somebody: why, with which input, and what can be done. */
export const DeadLetterList = ({ letters }: { letters: readonly DeadLetterBody[] }) => {
  const open = letters.filter(({ closed }) => closed === null)
  return (
    <>
      {open.length === 0 ? (
        <Empty icon="check">Nothing has failed that waits for you.</Empty>
      ) : (
        <OpenLetters letters={open} />
      )}
      <ClosedLetters letters={letters} />
    </>
  )
}

const ClosedLetters = ({ letters }: { letters: readonly DeadLetterBody[] }) => {
  const closed = letters.flatMap(letter => (letter.closed ? [{ ...letter, closed: letter.closed }] : []))
  return closed.length === 0 ? null : (
    <section class="panel">
      <h2>Closed by themselves</h2>
      <p class="hint">A later version of the file was imported.</p>
      <Grid caption="Closed letters" head={['What failed', 'Failed', 'Imported']}>
        {closed.map(letter => (
          <tr>
            <th scope="row">{subjectOf(letter)}</th>
            <td>
              <Time at={letter.created} />
            </td>
            <td>
              <a href={`/console/jobs/${letter.closed.jobId}`}>
                <Time at={letter.closed.at} />
              </a>
            </td>
          </tr>
        ))}
      </Grid>
    </section>
  )
}

const OpenLetters = ({ letters }: { letters: readonly DeadLetterBody[] }) => (
  <>
    <div class="actions">
      <Confirm id="redrive" verb="Start all again" action="/console/dead-letters/redrive" isGentle>
        {counted(letters.length, 'dead letter')}: each is started with what it failed with, and goes away. If
        it fails again, a new one comes. Those that cannot be started stay.
      </Confirm>
    </div>
    {letters.map(letter => (
      <section class="panel">
        <h2>
          {subjectOf(letter)}{' '}
          <small class="hint">
            <Time at={letter.created} />
          </small>
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
            “Start it again” loads the file as it was when it failed, which helps when the table was the
            cause. “Start it with the newest file” loads what lies there under this name now. The letter goes
            away when it starts; if it fails again, a new one comes.
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
