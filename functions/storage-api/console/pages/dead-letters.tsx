import type { Child } from 'hono/jsx'
import * as z from 'zod/mini'
import {
  type DeadLetterBody,
  deadLetterBody,
  MOST_LETTERS,
  redrivenAllBody,
} from '#lib/wire/dead-letter-body.ts'
import { type ApiClient, path, query } from '../api-client.ts'
import { type ConfigurationNames, configurationNames, nameIn } from '../configuration-names.ts'
import { counted, readable } from '../format.ts'
import { Confirm } from '../forms.tsx'
import { configurationPath } from '../links.tsx'
import { Empty, Problem, Time } from '../parts.tsx'
import { form, page, type Said } from '../route.ts'

const LETTERS = '/console/dead-letters'

/** What waits for somebody, on this page and wherever it is counted. */
export const openLetters = (client: ApiClient): Promise<DeadLetterBody[]> =>
  client.list(`dead-letters${query({ limit: MOST_LETTERS })}`, deadLetterBody)

const done = (text: string): { redirect: string; said: Said } => ({ redirect: LETTERS, said: { text } })

/** What failed and waits for somebody: why, with which input, and what can be done. */
export const deadLetterPages = [
  page(LETTERS, async ({ client }) => {
    const open = await openLetters(client)
    const names = await namesIn(client, open)
    return {
      title: 'Dead letters',
      body: (
        <>
          {open.length === 0 ? (
            <Empty icon="check">Nothing has failed that waits for you.</Empty>
          ) : (
            <div class="actions">
              <Confirm id="redrive" verb="Start all again" to={`${LETTERS}/redrive`} isGentle>
                {counted(open.length, 'dead letter')}: each is started with what it failed with, and goes
                away. If it fails again, a new one comes. Those that cannot be started stay.
              </Confirm>
            </div>
          )}
          {open.map(letter => (
            <OpenLetter letter={letter} names={names} />
          ))}
        </>
      ),
    }
  }),
  form(`${LETTERS}/redrive`, async ({ client }) => {
    const { redriven, refused } = await client.send('POST', 'dead-letters/redrive', {}, redrivenAllBody)
    const kept = refused.length === 0 ? '' : `, ${refused.length} stay: they cannot be started again`
    return done(`${redriven.length} started again${kept}.`)
  }),
  form(`${LETTERS}/:id/redrive`, async ({ client, params: { id }, form: { version = 'same' } }) => {
    await client.send('POST', path`dead-letters/${id}/redrive`, { version })
    return done('It was started again: see jobs and runs.')
  }),
  form(`${LETTERS}/:id/delete`, async ({ client, params: { id } }) => {
    await client.send('DELETE', path`dead-letters/${id}`)
    return done('The letter was deleted.')
  }),
]

const object = z.object({ key: z.string() })
const configuration = z.object({ componentId: z.string(), configId: z.string() })
const event = z.object({ detail: z.object({ object }) })

/** Names of the configurations that letters are about. */
export const namesIn = (client: ApiClient, letters: readonly DeadLetterBody[]): Promise<ConfigurationNames> =>
  configurationNames(
    client,
    letters.flatMap(({ input }) => configuration.safeParse(input).data ?? []),
  )

/** The file or the configuration that it is about. */
export const subjectOf = ({ machine, input }: DeadLetterBody, names: ConfigurationNames): Child => {
  const file = object.safeParse(input).data ?? event.safeParse(input).data?.detail.object
  if (file !== undefined) return `Import of ${file.key}`
  const { data } = configuration.safeParse(input)
  if (data === undefined) return `A piece of work of the machine ${machine}`
  return (
    <>
      Run of <a href={configurationPath(data.componentId, data.configId)}>{nameIn(names, data)}</a>
    </>
  )
}

const OpenLetter = ({ letter, names }: { letter: DeadLetterBody; names: ConfigurationNames }) => (
  <section class="panel">
    <h2>
      {subjectOf(letter, names)}{' '}
      <small class="hint">
        <Time at={letter.created} />
      </small>
    </h2>
    <Problem code={letter.failure.code}>{letter.failure.message}</Problem>
    <details>
      <summary>Input and details</summary>
      <pre>{readable({ input: letter.input, details: letter.details })}</pre>
    </details>
    {letter.hasNewestVersion && (
      <p class="hint">
        “Start it again” loads the file as it was when it failed, which helps when the table was the cause.
        “Start it with the newest file” loads what lies there under this name now. The letter goes away when
        it starts; if it fails again, a new one comes.
      </p>
    )}
    <div class="actions">
      {letter.isRedrivable ? (
        <form method="post" action={`${LETTERS}/${letter.id}/redrive`}>
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
        to={`${LETTERS}/${letter.id}/delete`}
      >
        What failed is given up: it cannot be started again from here.
      </Confirm>
    </div>
  </section>
)
