import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function PeoplePage() {
  return (
    <Page title="People">
      <SkeletonRows />
    </Page>
  );
}
