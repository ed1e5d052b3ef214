/** Small parts that several of the scripts loaded later share: in the first one they cost no request. */
import "../api/passkey";
import "../components/check";
import "../components/field";
import "../components/form";
import "../components/secret";
import "../components/select";
import "../components/table";
import "../components/tabs";
import "../components/text_area";
import "../components/when";
import "../devices/arrival";
import "../devices/boards";
import "../devices/removals";
import "../panel/address";
import "../panel/webp";
import "./new_account";
