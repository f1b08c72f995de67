import type { ConfigurationBody, ScheduleBody } from '../../lib/wire/configuration-body.ts'
import { path } from './api-client.ts'
import { readable } from './format.ts'
import { Act } from './forms.tsx'
import { List } from './list.tsx'
import { Empty, Problem } from './parts.tsx'

export const Toggle = ({ at, isDisabled, name }: { at: string; isDisabled: boolean; name: string }) => {
  const deed = isDisabled ? 'Enable' : 'Disable'
  const fields = { isDisabled: isDisabled ? '0' : '1' }
  return <Act to={`${at}/disabled`} fields={fields} verb={`${deed} ${name}`} label={deed} />
}

/** Undefined: it cannot be read. */
export const Schedule = ({ schedule }: { schedule: ScheduleBody | undefined }) => {
  if (schedule === undefined) return <Problem>The schedule cannot be read.</Problem>
  const { expression, timezone, isActive, nextTimes } = schedule
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone ?? 'UTC',
    dateStyle: 'medium',
    timeStyle: 'long',
  })
  if (expression === null)
    return (
      <Empty>
        None. A key <code>schedule</code> beside <code>parameters</code> gives it one:{' '}
        <code>{'{"expression": "cron(0 6 * * ? *)", "timezone": "Europe/Prague"}'}</code>
      </Empty>
    )
  return (
    <>
      <p>
        <code>{expression}</code>, {timezone}
        {!isActive && '; switched off'}
      </p>
      <ol>
        {nextTimes.map(time => (
          <li>
            <time datetime={time}>{format.format(new Date(time))}</time>
          </li>
        ))}
      </ol>
    </>
  )
}

export const RowList = ({ at, rows }: { at: string; rows: ConfigurationBody['rows'] }) => {
  const rowPath = (id: string) => at + path`/rows/${id}`
  return (
    <>
      <h2>Rows, in the order in which they run</h2>
      <List
        caption="Rows"
        of={rows}
        columns={[
          ['Row', ({ id, name }) => <a href={rowPath(id)}>{name || id}</a>, 'name'],
          ['Id', ({ id }) => id],
          ['Version', ({ version }) => version, 'number'],
          [
            'Enabled',
            ({ id, name, isDisabled }) => [
              isDisabled ? 'no ' : 'yes ',
              <Toggle at={rowPath(id)} isDisabled={isDisabled} name={name || id} />,
            ],
          ],
        ]}
      />
    </>
  )
}

/** What its runs remember; most of what has a state has a long one. */
export const State = ({ of }: { of: ConfigurationBody['state'] }) =>
  Object.keys(of ?? {}).length === 0 ? null : (
    <details class="state">
      <summary>State that its runs keep</summary>
      <pre>{readable(of)}</pre>
    </details>
  )
