(** Certificates.

    A certificate is data: a [source] and a C text. [certifies] checks it by computation;
    [certifies_sound] says what the check gives. A certificate file consists of the data and
<<
      Theorem checked : certifies source text = true.
      Proof. vm_cast_no_check (eq_refl true). Qed.
>>
    [source]      a kernel: its names, its types, its term, the facts assumed of its sizes
    [program]     its flat program
    [file_of]     what the text must read as: its signature and the canonical program
    [Computes]    what is known of a program, for all sizes, inputs and interleavings
    [limits]      sizes that must stay below 2^63 for the index arithmetic to be exact
    [Certified]   what is known of the text *)

From Coq Require Import ZArith NArith List Bool String.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import array.IndexCheck array.Check array.CheckProof.
From Vouch Require Import imp.Flat imp.Threads imp.ThreadsProof imp.Int64 imp.Int64Limits.
From Vouch Require Import lower.SafeProof lower.Flatten lower.OffsetProof.
From Vouch Require lower.Tighten.
From Vouch Require Import certify.Kernel certify.Checked certify.Print certify.Names.
From Vouch Require Import certify.Canonical certify.Parse.
From Vouch Require Export array.Equality.
Import ListNotations.

Record source : Type := {
  kernel_name : string;
  kernel_names : names;
  kernel_facts : list fact;
  kernel_inputs : list ty;
  kernel_output : ty;
  kernel_term : exp
}.

Definition program (k : source) : fcomm :=
  flat_kernel (kernel_inputs k) (kernel_term k) (kernel_output k).


(** No loop variable is in scope at first: a bound that never fits stands for none. *)
Definition no_bound (_ : nat) : size := SConst (2 ^ 63).

Definition limits (k : source) : list size := fcomm_limits no_bound (program k).

(** What the checked form tests: enough for the facts and the limits. *)
(** The length of an element of variable v, in bytes. *)
Definition width (nm : names) (v : nat) : N := bytes (element_of (element_types nm) v).

Lemma width_small nm v : (width nm v <= 8)%N.
Proof. unfold width. destruct (element_of (element_types nm) v); discriminate. Qed.

Definition kernel_tests (k : source) : list ctest :=
  tests (width (kernel_names k)) (List.length (size_names (kernel_names k))) (kernel_facts k) (limits k)
    (kernel_inputs k) (kernel_output k).

Definition checked_text (k : source) : string :=
  c_checked (kernel_name k) (kernel_names k) (kernel_inputs k) (needs_heap (program k))
    (kernel_tests k).

Definition print (k : source) : string :=
  c_text (kernel_name k) (kernel_names k) (kernel_inputs k) (program k) ++ checked_text k.

Definition arity_ok (k : source) : bool :=
  Nat.eqb (List.length (var_names (kernel_names k))) (S (List.length (kernel_inputs k))).

Definition by_value (d : ty) : bool := match d with TNum => true | _ => false end.

Definition file_of (k : source) : cfile := {|
  file_name := kernel_name k;
  file_names := declared (kernel_names k);
  file_scalars := map by_value (kernel_inputs k);
  file_body := canonical (List.length (kernel_inputs k)) (program k);
  file_tests := kernel_tests k |}.

Definition option_eq_dec {A : Type} (dec : forall a b : A, {a = b} + {a <> b}) (a b : option A)
  : {a = b} + {a <> b}.
Proof. decide equality. Defined.

Definition kind_eq_dec (a b : kind) : {a = b} + {a <> b}.
Proof. decide equality. Defined.

Definition fexp_eq_dec (a b : fexp) : {a = b} + {a <> b}.
Proof.
  decide equality; auto using PeanoNat.Nat.eq_dec, const_eq_dec, uop_eq_dec, bop_eq_dec,
    top_eq_dec, Tighten.guard_eq_dec, ixe_eq_dec.
  apply option_eq_dec, ixe_eq_dec.
Defined.

Definition pair_eq_dec (a b : ixe * ixe) : {a = b} + {a <> b}.
Proof. decide equality; apply ixe_eq_dec. Defined.

Definition fcomm_eq_dec (a b : fcomm) : {a = b} + {a <> b}.
Proof.
  decide equality; auto using PeanoNat.Nat.eq_dec, fexp_eq_dec, kind_eq_dec, size_eq_dec.
  - apply option_eq_dec, ixe_eq_dec.
  - apply option_eq_dec, size_eq_dec.
  - apply list_eq_dec, pair_eq_dec.
  - apply list_eq_dec, pair_eq_dec.
Defined.

Definition names_eq_dec (a b : names) : {a = b} + {a <> b}.
Proof.
  decide equality; try apply list_eq_dec, string_dec.
  decide equality; [apply list_eq_dec, element_eq_dec | apply element_eq_dec].
Defined.

Definition ctest_eq_dec (a b : ctest) : {a = b} + {a <> b}.
Proof. decide equality; auto using PeanoNat.Nat.eq_dec, size_eq_dec. Defined.

Definition cfile_eq_dec (a b : cfile) : {a = b} + {a <> b}.
Proof.
  decide equality;
    [apply list_eq_dec, ctest_eq_dec | apply fcomm_eq_dec | apply list_eq_dec, bool_dec
    |apply names_eq_dec | apply string_dec].
Defined.

(** The text, read by itself, is the program. *)
Definition reads_as (text : string) (f : cfile) : bool :=
  match parse text with
  | Some g => if cfile_eq_dec g f then true else false
  | None => false
  end.

Definition certifies (k : source) (text : string) : bool :=
  has (infer (kernel_facts k) [] (kernel_inputs k) (kernel_term k)) (kernel_output k) &&
  arity_ok k && names_ok (kernel_name k) (kernel_names k) &&
  typed (element_types (kernel_names k)) (S (List.length (kernel_inputs k))) (program k) &&
  nesting_ok false (program k) &&
  tests_enough (kernel_facts k) (limits k) (kernel_inputs k) (kernel_output k) &&
  fcomm_typed (program k) &&
  String.eqb (print k) text && reads_as text (file_of k).

(** The value of the kernel at path p, from the inputs found in memory m. *)
Definition kernel_value (sg : nat -> nat) (K : scalars) (k : source) (m : mem K) : value K :=
  eval sg K [] (input_values sg K (kernel_inputs k) m) (kernel_term k).

Definition Computes (k : source) (c : fcomm) : Prop :=
  forall sg, facts_hold sg (kernel_facts k) ->
  let r := List.length (kernel_inputs k) in
  let D := ty_val sg (kernel_output k) in
  (* for any scalars, any contents of new variables, any memory, and any interleaving t *)
  forall K junk ie m t, behaves sg K junk c ie t ->
  (* the output holds the value of the kernel *)
  (forall p, inb D p -> run K t m r (place_of D p) = kernel_value sg K k m p) /\
  (* nothing else has changed *)
  (forall v a, ~ (v = r /\ a < cells D) -> run K t m v a = m v a) /\
  (* all accesses are in bounds, index terms are defined, concurrent loops have no race *)
  fcomm_safe sg (extent sg (kernel_types (kernel_inputs k) (kernel_output k))) c ie /\
  (* 64 bits are enough for all indices, if the limits are below 2^63 *)
  (Forall (fits sg) (limits k) -> fcomm_int64 sg c ie).

(** The text is the printed form of the program. Read by the parser, which knows nothing of the
    printer, it is a function of the kernel's name and arguments whose body computes the kernel;
    so does the program before it is brought into canonical form. *)
Definition Certified (k : source) (text : string) : Prop :=
  (print k = text /\ parse text = Some (file_of k) /\ Computes k (file_body (file_of k)) /\
   tests_enough (kernel_facts k) (limits k) (kernel_inputs k) (kernel_output k) = true) /\
  Computes k (program k).

(** No other text, however little it differs, is certified for the kernel. *)
Lemma certified_once k text1 text2 : Certified k text1 -> Certified k text2 -> text1 = text2.
Proof. intros [(same1 & _) _] [(same2 & _) _]. congruence. Qed.

Lemma no_bound_bounded sg ie : bounded sg no_bound ie.
Proof.
  intros i small. exfalso. revert small. unfold fits, no_bound, max_int64.
  cbn [size_val]. rewrite N_nat_Z. discriminate.
Qed.

Lemma program_computes k :
  has (infer (kernel_facts k) [] (kernel_inputs k) (kernel_term k)) (kernel_output k) = true ->
  fcomm_typed (program k) = true -> Computes k (program k).
Proof.
  intros checked typed sg FACTS r D K junk ie m t RUNS.
  assert (TYPED : has_ty sg [] (map (ty_val sg) (kernel_inputs k)) (kernel_term k) D).
  { apply (has_sound sg (kernel_facts k) [] (kernel_inputs k)); [|exact checked].
    intros d1. apply (infer_sound sg (kernel_facts k) FACTS). }
  pose proof (flat_kernel_safe sg _ _ _ TYPED ie) as SAFE.
  split; [|split; [|split; [exact SAFE|]]].
  - intros p p_in. apply (flat_kernel_correct sg _ _ _ TYPED K junk ie t RUNS m p p_in).
  - intros v a other. apply (flat_kernel_frame sg _ _ _ TYPED K junk ie t RUNS m v a other).
  - intros small.
    exact (fcomm_limits_sound sg _ no_bound _ ie typed (no_bound_bounded sg ie) SAFE small).
Qed.

(** Every behaviour of the canonical program has the effect of one of the program. *)
Lemma canonical_computes k out : Computes k (program k) -> Computes k (canonical out (program k)).
Proof.
  intros COMPUTES sg FACTS r D K junk ie m t RUNS.
  destruct (behaves_exists sg K junk (program k) ie) as [t1 RUNS1].
  destruct (COMPUTES sg FACTS K junk ie m t1 RUNS1) as (result & frame & SAFE & exact_if).
  pose proof (canonical_safe sg out _ _ ie SAFE) as SAFE1.
  assert (SAME : forall v a, run K t m v a = run K t1 m v a).
  { intros v a. rewrite (race_free_run sg K junk _ ie t RUNS _ SAFE1), canonical_exec.
    symmetry. apply (race_free_run sg K junk _ ie t1 RUNS1 _ SAFE). }
  split; [|split; [|split; [exact SAFE1|]]].
  - intros p p_in. rewrite SAME. apply result, p_in.
  - intros v a other. rewrite SAME. apply frame, other.
  - intros small. apply canonical_int64, exact_if, small.
Qed.

Theorem certifies_sound k text : certifies k text = true -> Certified k text.
Proof.
  unfold certifies, reads_as. intros checked.
  apply andb_true_iff in checked as [checked reads].
  apply andb_true_iff in checked as [checked same].
  apply andb_true_iff in checked as [checked typed].
  apply andb_true_iff in checked as [checked enough].
  do 4 apply andb_true_iff in checked as [checked _].
  apply String.eqb_eq in same. pose proof (program_computes k checked typed) as COMPUTES.
  split; [|exact COMPUTES]. split; [exact same|].
  split; [|split; [apply canonical_computes, COMPUTES | exact enough]].
  destruct (parse text) as [f|]; [|discriminate].
  destruct (cfile_eq_dec f (file_of k)) as [f_is|]; [congruence | discriminate].
Qed.

(** All of it about the text alone: it parses; it runs to its end, whatever the sizes, inputs
    and scalars, if the limits are below 2^63; and however its threads are interleaved, the
    result is the kernel's value, nothing else changes, no access is out of bounds, no two
    iterations race, and no index overflows. *)
Theorem certified_text k text : Certified k text ->
  exists f, parse text = Some f /\ file_name f = kernel_name k /\ file_names f = declared (kernel_names k) /\
  forall sg, facts_hold sg (kernel_facts k) -> Forall (fits sg) (limits k) ->
  let r := List.length (kernel_inputs k) in
  let D := ty_val sg (kernel_output k) in
  forall K junk ie m,
  (exists t, behaves sg K junk (file_body f) ie t) /\
  forall t, behaves sg K junk (file_body f) ie t ->
  (forall p, inb D p -> run K t m r (place_of D p) = kernel_value sg K k m p) /\
  (forall v a, ~ (v = r /\ a < cells D) -> run K t m v a = m v a) /\
  fcomm_safe sg (extent sg (kernel_types (kernel_inputs k) (kernel_output k))) (file_body f) ie /\
  fcomm_int64 sg (file_body f) ie.
Proof.
  intros [(_ & parsed & COMPUTES & _) _]. exists (file_of k).
  split; [exact parsed|]. split; [reflexivity|]. split; [reflexivity|].
  intros sg FACTS small r D K junk ie m. split; [apply behaves_exists|].
  intros t RUNS. destruct (COMPUTES sg FACTS K junk ie m t RUNS) as (result & frame & SAFE & fit).
  auto.
Qed.

(** The checked form. Sizes are what the caller gives, in 64 bits; arrays lie where [at_address]
    says, 0 being nowhere. Where the tests of the text are passed, sizes are natural numbers that
    satisfy all that is assumed of them; arrays that have elements are there; and the output
    shares no byte with an input. *)
Theorem certified_tests k text : Certified k text ->
  exists f, parse text = Some f /\
  forall sz at_address, (forall v, - max_int64 <= sz v < max_int64)%Z ->
  (forall v, List.length (size_names (kernel_names k)) <= v -> sz v = 0%Z) ->
  outcome sz at_address (file_tests f) = 0%N ->
  let sg := natural sz in
  let r := List.length (kernel_inputs k) in
  let bytes v d := (Z.of_N (width (kernel_names k) v) * Z.of_nat (size_val sg (ty_size d)))%Z in
  (forall v, 0 <= sz v)%Z /\ facts_hold sg (kernel_facts k) /\ Forall (fits sg) (limits k) /\
  forall v d, In (v, d) (arrays (kernel_inputs k) ++ [(r, kernel_output k)]) ->
  (0 < bytes v d -> at_address v <> 0)%Z /\
  (In (v, d) (arrays (kernel_inputs k)) -> 0 < bytes v d -> 0 < bytes r (kernel_output k) ->
   at_address v + bytes v d <= at_address r \/
   at_address r + bytes r (kernel_output k) <= at_address v)%Z.
Proof.
  intros [(_ & parsed & _ & enough) _]. exists (file_of k). split; [exact parsed|].
  intros sz at_address range none passed.
  exact (outcome_passed_means (width (kernel_names k)) _ _ _ _ _ sz at_address
           (width_small (kernel_names k)) enough range none passed).
Qed.
