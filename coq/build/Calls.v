(** A library as data: values, each a run of cells, and calls of kernels that define them in order,
    with the places in memory where they lie.

    [certified_text]     what is proven of a C text: it is one program, or has versions for kinds of
                         processors, of which any may be called
    [certified_kernel]   a kernel in index notation, its C text, and what is proven of them
    [joined]             an argument: values one after the other
    [graph_values]       the value of the graph: calls compose kernels; places mean nothing here
    [apart]              that two runs of cells have no byte in common: buffers may be views of one memory
    [called]             what a call of the C text does to memory, its pointers being places
    [plan_ok]            a boolean: of every call, each argument lies where the plan says, all of its values whole and
                         not yet overwritten; the result is inside of a buffer that may be written,
                         and apart from all arguments; results are where they are said to be
    [plan_typed]         a boolean: each argument and result of a call lies in a buffer whose elements
                         are of the type that the kernel's text has for it *)

From Coq Require Import Arith NArith List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Flat imp.Threads certify.Elements certify.Print certify.Certificate.
From Vouch Require Import certify.Parse.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Versions build.Cells build.Nodes.
Import ListNotations.

Inductive certified_text (n : node) (k : source) (text : string) : Type :=
| OneText : Certified k text -> ComputesNode n k -> certified_text n k text
| SeveralVersions v : vs_generic v = k -> CertifiedVersions v text -> Forall (ComputesNode n) (sources v) ->
    certified_text n k text.

(** What runs when the text is called: of versions one, by whatever the processor answers in this call. *)
Definition text_runs {n k text} (w : certified_text n k text) (c : fcomm) : Prop :=
  match w with
  | OneText _ _ _ _ _ => exists f, parse text = Some f /\ c = file_body f
  | SeveralVersions _ _ _ _ _ _ _ => exists f yes, parse_versions text = Some f /\ chosen f yes = Some c
  end.

Record certified_kernel : Type := {
  ck_node : node;
  ck_source : source;
  ck_text : string;
  ck_certified : certified_text ck_node ck_source ck_text
}.

Definition ck_index (k : certified_kernel) : ikernel := nd_kernel (ck_node k).

(** ** The graph *)

(** A buffer, and the first cell in it. *)
Definition place : Type := nat * N.

Record call : Type := {
  ca_kernel : nat;
  ca_values : list (list (N * N));   (* of each argument: values by number, first what is given, then a
                                          result for each call; and how many cells each has *)
  ca_places : list place;   (* where the arguments lie *)
  ca_result : place
}.

Definition value_of {K : scalars} (vals : list (nat -> num K)) (v : nat) : nat -> num K :=
  nth v vals (fun _ => cst K zero).

Fixpoint joined {K : scalars} (vals : list (nat -> num K)) (pieces : list (N * N)) : nat -> num K :=
  match pieces with
  | [] => fun _ => cst K zero
  | (v, n) :: more =>
      fun a => if Nat.ltb a (N.to_nat n) then value_of vals (N.to_nat v) a else joined vals more (a - N.to_nat n)
  end.

Fixpoint graph_values (K : scalars) (nodes : list node) (vals : list (nat -> num K))
    (calls : list call) : list (nat -> num K) :=
  match calls with
  | [] => vals
  | c :: more =>
      let args := map (joined vals) (ca_values c) in
      let result :=
        match nth_error nodes (ca_kernel c) with
        | Some node => node_cells K node args
        | None => fun _ => cst K zero
        end in
      graph_values K nodes (vals ++ [result]) more
  end.

(** ** Memory *)

Definition memory (K : scalars) : Type := nat -> nat -> num K.

Definition cell {K : scalars} (M : memory K) (p : place) (a : nat) : num K :=
  M (fst p) (N.to_nat (snd p) + a).

(** The memory that a kernel sees: its parameters point to these places. *)
Definition view {K : scalars} (places : list place) (M : memory K) : mem K :=
  fun v a => cell M (nth v places (0, 0%N)) a.

(** Buffers with one number of a memory begin at its first byte, each with cells of its own type. *)
Record buffer : Type := { bu_cells : N; bu_written : bool; bu_element : element; bu_memory : nat }.

(** Of what there is: [n] cells from [p] on, and [m] from [q] on. *)
Definition apart (buffers : list buffer) (p : place) (n : N) (q : place) (m : N) : bool :=
  match nth_error buffers (fst p), nth_error buffers (fst q) with
  | Some b, Some c =>
      negb (Nat.eqb (bu_memory b) (bu_memory c)) ||
      N.leb ((snd p + n) * bytes (bu_element b)) (snd q * bytes (bu_element c)) ||
      N.leb ((snd q + m) * bytes (bu_element c)) (snd p * bytes (bu_element b))
  | _, _ => true
  end.

(** The text's threads run in any interleaving on what its parameters point to; the cells of the
    result are then the output's. Cells that are apart from these are as they were (the text writes no other, and
    is given places that are apart: [plan_ok]). A cell of another view that has a byte of the result is
    lost: nothing is said of it, as C says nothing of what is read as another type than it was written. *)
Definition called (K : scalars) (buffers : list buffer) (k : certified_kernel) (args : list place) (result : place)
    (M M1 : memory K) : Prop :=
  exists c sh junk ie t,
    text_runs (ck_certified k) c /\ shape_of (ck_index k) = Some sh /\
    behaves no_sizes K junk c ie t /\
    (forall a, a < N.to_nat (count (sh_output sh)) ->
       cell M1 result a = run K t (view (args ++ [result]) M) (List.length args) a) /\
    forall b a, apart buffers result (count (sh_output sh)) (b, N.of_nat a) 1 = true -> M1 b a = M b a.

Inductive runs (K : scalars) (buffers : list buffer) (ks : list certified_kernel) : list call -> memory K -> memory K -> Prop :=
| RunsDone M : runs K buffers ks [] M M
| RunsCall c k more M M1 M2 :
    nth_error ks (ca_kernel c) = Some k -> called K buffers k (ca_places c) (ca_result c) M M1 ->
    runs K buffers ks more M1 M2 -> runs K buffers ks (c :: more) M M2.

(** ** The check *)

(** Value [re_value] lies at [re_place], whole. *)
Record region : Type := { re_value : N; re_place : place; re_cells : N }.

Record plan : Type := {
  pl_buffers : list buffer;
  pl_values : nat;          (* how many are given *)
  pl_given : list region;
  pl_calls : list call;
  pl_results : list region
}.

Definition place_eqb (p q : place) : bool := Nat.eqb (fst p) (fst q) && N.eqb (snd p) (snd q).

Definition lies (live : list region) (v : N) (p : place) (n : N) : bool :=
  existsb (fun r => N.eqb (re_value r) v && place_eqb (re_place r) p && N.eqb (re_cells r) n) live.

(** One after the other, from that place on. *)
Fixpoint pieces_lie (live : list region) (pieces : list (N * N)) (p : place) (n : N) : bool :=
  match pieces with
  | [] => N.eqb n 0
  | (v, m) :: more =>
      N.leb m n && lies live v p m && pieces_lie live more (fst p, (snd p + m)%N) (n - m)
  end.

Definition writable (buffers : list buffer) (p : place) (n : N) : bool :=
  match nth_error buffers (fst p) with
  | Some b => bu_written b && N.leb (snd p + n) (bu_cells b)
  | None => false
  end.

Definition inside_buffer (buffers : list buffer) (p : place) (n : N) : bool :=
  match nth_error buffers (fst p) with
  | Some b => N.leb (snd p + n) (bu_cells b)
  | None => false
  end.

(** Each argument, with the extents that the kernel has for it. *)
Fixpoint args_ok (buffers : list buffer) (live : list region) (result : place) (n : N)
    (values : list (list (N * N))) (places : list place) (shapes : list (list N)) : bool :=
  match values, places, shapes with
  | [], [], [] => true
  | pieces :: values1, p :: places1, X :: shapes1 =>
      pieces_lie live pieces p (count X) && inside_buffer buffers p (count X) && apart buffers result n p (count X) &&
      args_ok buffers live result n values1 places1 shapes1
  | _, _, _ => false
  end.

(** What lies where after the call, if the call is good. *)
Definition call_live (buffers : list buffer) (shapes : list (option shape)) (live : list region)
    (next : N) (c : call) : option (list region) :=
  match nth_error shapes (ca_kernel c) with
  | Some (Some sh) =>
      let n := count (sh_output sh) in
      if args_ok buffers live (ca_result c) n (ca_values c) (ca_places c) (sh_inputs sh) &&
         writable buffers (ca_result c) n
      then Some ({| re_value := next; re_place := ca_result c; re_cells := n |} ::
                 filter (fun r => apart buffers (ca_result c) n (re_place r) (re_cells r)) live)
      else None
  | _ => None
  end.

Fixpoint calls_live (buffers : list buffer) (shapes : list (option shape)) (live : list region)
    (next : N) (calls : list call) : option (list region) :=
  match calls with
  | [] => Some live
  | c :: more =>
      match call_live buffers shapes live next c with
      | Some live1 => calls_live buffers shapes live1 (N.succ next) more
      | None => None
      end
  end.

Definition plan_ok (ks : list ikernel) (p : plan) : bool :=
  forallb (fun r => N.ltb (re_value r) (N.of_nat (pl_values p))) (pl_given p) &&
  match calls_live (pl_buffers p) (map shape_of ks) (pl_given p) (N.of_nat (pl_values p)) (pl_calls p) with
  | Some live => forallb (fun r => lies live (re_value r) (re_place r) (re_cells r)) (pl_results p)
  | None => false
  end.

(** ** Types of elements *)

Definition element_at (p : plan) (q : place) : option element :=
  option_map bu_element (nth_error (pl_buffers p) (fst q)).

Definition place_typed (p : plan) (q : place) (t : element) : bool :=
  match element_at p q with Some s => element_eqb s t | None => false end.

Definition call_typed (ks : list source) (p : plan) (c : call) : bool :=
  match nth_error ks (ca_kernel c) with
  | Some k =>
      let types := map (element_of (element_types (kernel_names k)))
                     (seq 0 (S (List.length (kernel_inputs k)))) in
      Nat.eqb (List.length (ca_places c)) (List.length (kernel_inputs k)) &&
      forallb (fun q => place_typed p (fst q) (snd q)) (combine (ca_places c ++ [ca_result c]) types)
  | None => false
  end.

Definition plan_typed (ks : list source) (p : plan) : bool := forallb (call_typed ks p) (pl_calls p).
