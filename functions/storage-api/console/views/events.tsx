import type { EventBody } from '#lib/wire/event-body.ts'
import { Empty, Grid } from '../layout.tsx'
import { Status, Time } from '../parts.tsx'

/** What only looked at something says little: a page that is opened does it. */
export const CHANGES_ONLY = ['tableDetail', 'tableDataPreview', 'tablesListed', 'bucketsListed']
  .map(name => `-event:storage.${name}`)
  .join(' ')

export const EventList = ({ events }: { events: readonly EventBody[] }) =>
  events.length === 0 ? (
    <Empty>Nothing has happened here yet.</Empty>
  ) : (
    <Grid caption="Events" head={['When', 'Kind', 'What', 'Object', 'Run']}>
      {events.map(event => (
        <tr>
          <td>
            <Time at={event.created} />
          </td>
          <td>
            <Status value={event.type} />
          </td>
          <td class="sentence">
            {event.message} <code class="hint">{event.event}</code>
          </td>
          <td>{event.objectId}</td>
          <td class="cut" title={event.runId ?? ''}>
            {event.runId}
          </td>
        </tr>
      ))}
    </Grid>
  )

export const EventSearch = ({ q, events }: { q: string; events: readonly EventBody[] }) => (
  <>
    <form class="filter" action="/console/events">
      <label>
        Search, such as <code>type:error</code> or <code>objectId:in.c-main.orders</code>
        <input type="search" name="q" value={q} />
      </label>
      <button type="submit">Search</button>
    </form>
    {q === '' && (
      <p class="hint">
        What only read something is left out; <code>event:storage.*</code> finds it, too.
      </p>
    )}
    <EventList events={events} />
  </>
)
