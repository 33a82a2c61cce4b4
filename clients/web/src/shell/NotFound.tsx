import { EmptyState } from "@/ui/EmptyState";
import { Link } from "@/ui/Link";
import { Page } from "./Page";

/** What an unknown address shows. */
export function NotFound() {
  return (
    <Page title="Page not found" hideTitle>
      <EmptyState title="Page not found" action={<Link to="/">Open home</Link>}>
        No page of Causeway has this address.
      </EmptyState>
    </Page>
  );
}
