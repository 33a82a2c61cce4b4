import { EventList } from "./EventList";

/** The events of all resources of the application. */
export default function EventsTab() {
  return <EventList />;
}
