import type { ConfigurationBody } from '../../lib/wire/configuration-body.ts'
import type { ScheduleBody } from '../../lib/wire/schedule-body.ts'
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

/** Those that run a configuration. */
export const Schedules = ({ of }: { of: readonly ScheduleBody[] }) =>
  of.length === 0 ? (
    <Empty>
      None. A key <code>schedule</code> beside <code>parameters</code> gives it one:{' '}
      <code>{'{"expression": "cron(0 6 * * ? *)", "timezone": "Europe/Prague"}'}</code>
    </Empty>
  ) : (
    of.map(schedule => <Schedule schedule={schedule} />)
  )

const Schedule = ({ schedule: { schedule, nextTimes } }: { schedule: ScheduleBody }) => {
  if (schedule.state === 'invalid') return <Problem>The schedule cannot be read.</Problem>
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: schedule.timezone,
    dateStyle: 'medium',
    timeStyle: 'long',
  })
  return (
    <>
      <p>
        <code>{schedule.cronTab}</code>, {schedule.timezone}
        {schedule.state === 'disabled' && '; switched off'}
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
