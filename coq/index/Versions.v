(** Several versions of a kernel in one C text, of which one is called for each kind of processor.

    Every version is the same kernel by another plan, so whichever is called, the result is the
    kernel's. What the processor has is asked when the kernel is called; the answers are any.

    [target]             a kind of processor that a version is compiled for
    [vfile]              a text: functions by name, and which is called after which answers
    [chosen]             the body that runs, given the answers
    [parse_versions]     its parser: the fixed opening, then the words of the functions
<<
      file    ::= {target} opening generic {version} dispatch [stopping] {tester} int name_checked ...
      generic ::= static void name_generic ( params [, int * failed] ) { stmts }
      version ::= VOUCH_AVX2 static void name_avx2 ( params [, int * failed] ) { stmts }
      dispatch ::= [static] void name ( params [, int * failed] )
                  { {if ( has_avx512 ( ) ) name_avx512 ( args ) ; else} name_generic ( args ) ; }
>>
    [certifies_versions] a boolean: the text reads as these versions, each of which is well formed
    [CertifiedVersions]  what that gives
    [versions_index]     whatever the answers, the text leaves the kernel's elements
    [versions_agree]     so the answers change no bit
    [versions_tests]     what is known where the checked form calls a version *)

From Coq Require Import Arith ZArith NArith List Bool String Ascii.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing array.Check.
From Vouch Require Import imp.Flat imp.Threads imp.ThreadsProof imp.Int64 imp.Int64Limits lower.SafeProof lower.Flatten lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Checked certify.Print certify.Names certify.Token.
From Vouch Require Import certify.CTree certify.Elaborate certify.Parse certify.Canonical certify.Certificate.
From Vouch Require Import index.Kernel index.Lower index.LowerProof index.Reads.
From Vouch Require certify.Witness.
Import ListNotations.
Local Open Scope string_scope.

(** ** What a text says of processors *)

Inductive target : Type := Avx2 | Avx512.

Definition all_targets : list target := [Avx2; Avx512].

Definition target_word (t : target) : string := match t with Avx2 => "avx2" | Avx512 => "avx512" end.
Definition target_macro (t : target) : string := match t with Avx2 => "VOUCH_AVX2" | Avx512 => "VOUCH_AVX512" end.
Definition target_question (t : target) : string := "has_" ++ target_word t.

Definition c_processor : string :=
"#if defined(__x86_64__) || defined(__i386__)
#define VOUCH_FOR(features) __attribute__((target(features)))
#define VOUCH_HAS(feature) __builtin_cpu_supports(feature)
#else
#define VOUCH_FOR(features)
#define VOUCH_HAS(feature) 0
#endif
#ifndef VOUCH_NEWEST
#if defined(__clang__) && defined(_OPENMP)
#define VOUCH_NEWEST 0
#else
#define VOUCH_NEWEST 2
#endif
#endif
".

Definition c_target (t : target) : string :=
  match t with
  | Avx2 =>
"#define VOUCH_AVX2 VOUCH_FOR(""avx2,fma"")
static int has_avx2(void) {
  return 1 <= VOUCH_NEWEST && VOUCH_HAS(""avx2"") && VOUCH_HAS(""fma"");
}
"
  | Avx512 =>
"#define VOUCH_AVX512 VOUCH_FOR(""avx512f,avx512bw,avx512dq,avx512vl,fma"")
static int has_avx512(void) {
  return 2 <= VOUCH_NEWEST && VOUCH_HAS(""avx512f"") && VOUCH_HAS(""avx512bw"") && VOUCH_HAS(""avx512dq"") &&
         VOUCH_HAS(""avx512vl"") && VOUCH_HAS(""fma"");
}
"
  end.

Fixpoint after_targets (l : list target) (s : string) : list target * string :=
  match l with
  | [] => ([], s)
  | t :: more =>
      match after (c_target t) s with
      | Some rest => let (found, left) := after_targets more rest in (t :: found, left)
      | None => after_targets more s
      end
  end.

(** ** The text and its parser *)

Record vfile : Type := {
  vf_name : string;
  vf_names : names;
  vf_scalars : list bool;
  vf_bodies : list (string * fcomm);
  (* in order: what is asked, and the function that is called where the answer is yes *)
  vf_choices : list (string * string);
  vf_otherwise : string;
  vf_tests : list ctest
}.

Fixpoint called_by (yes : string -> bool) (choices : list (string * string)) (otherwise : string) : string :=
  match choices with
  | [] => otherwise
  | (question, f) :: more => if yes question then f else called_by yes more otherwise
  end.

Fixpoint body_named (f : string) (l : list (string * fcomm)) : option fcomm :=
  match l with
  | [] => None
  | (g, c) :: more => if String.eqb f g then Some c else body_named f more
  end.

Definition chosen (f : vfile) (yes : string -> bool) : option fcomm :=
  body_named (called_by yes (vf_choices f) (vf_otherwise f)) (vf_bodies f).

(** s without [suffix] at its end. *)
Fixpoint without (suffix s : string) : option string :=
  if String.eqb s suffix then Some "" else
  match s with
  | EmptyString => None
  | String c rest => option_map (String c) (without suffix rest)
  end.

Definition version_name (name word : string) : string := name ++ "_" ++ word.
Definition generic_word : string := "generic".
Definition closing (heap : bool) : string := if heap then ", int *failed)" else ")".

Section VERSIONS.
  Context (fuel : nat) (heap : bool) (name : string) (given : params).

  Definition call_words : string :=
    "(" ++ arguments (fst given) ++ (if heap then ", failed);" else ");").

  Fixpoint pversions (l : list target) : parser (list (string * fcomm)) :=
    match l with
    | [] => ret []
    | t :: more =>
        let f := version_name name (target_word t) in
        the_words (target_macro t ++ " static void " ++ f ++ "(") >> same_params fuel true given >>
        the_words (closing heap) >> c <- pbody fuel given; rest <- pversions more; ret ((f, c) :: rest)
    end.

  Fixpoint pchoices (n : nat) : parser (list (string * string) * string) :=
    match n with
    | O => fail
    | S n1 =>
        s <- any_word;
        if String.eqb s "if" then
          sign "(" >> question <- any_word; the_words "())" >> f <- any_word; the_words call_words >>
          word "else" >> more <- pchoices n1; ret ((question, f) :: fst more, snd more)
        else the_words call_words >> ret ([], s)
    end.

  Definition pdispatch : parser (list (string * string) * string) :=
    the_words (if heap then "static void " ++ c_tried name ++ "(" else "void " ++ name ++ "(") >>
    same_params fuel true given >> the_words (closing heap) >> sign "{" >> l <- pchoices fuel; sign "}" >> ret l.

  Definition pstopping : parser unit :=
    if heap then
      the_words ("void " ++ name ++ "(") >> same_params fuel true given >>
      the_words (") { int failed[1] = {0}; " ++ c_tried name ++ "(" ++ arguments (fst given) ++
                 ", failed); if (failed[0]) no_memory(); }")
    else ret tt.
End VERSIONS.

Definition pvfile (t : element) (targets : list target) (fuel : nat) : parser vfile :=
  the_words "static void" >> first <- any_word; name <- lift (without ("_" ++ generic_word) first);
  sign "(" >> given <- pparams t fuel true [] []; heap <- is_next ",";
  the_words (closing heap) >> c <- pbody fuel given;
  more <- pversions fuel heap name given targets;
  choices <- pdispatch fuel heap name given;
  pstopping fuel heap name given >>
  l <- pchecked fuel heap name given;
  ret {| vf_name := name; vf_names := fst given; vf_scalars := snd given; vf_bodies := (first, c) :: more;
         vf_choices := fst choices; vf_otherwise := snd choices; vf_tests := l |}.

(** The functions that an opening defines are those that all bodies together need. *)
Definition all_bodies (l : list (string * fcomm)) : fcomm :=
  fold_right (fun b c => FSeq (snd b) c) FSkip l.

Definition opens_all (o : opening) (f : vfile) : bool :=
  opens o {| file_name := vf_name f; file_names := vf_names f; file_scalars := vf_scalars f;
             file_body := all_bodies (vf_bodies f); file_tests := vf_tests f |}.

Definition parse_versions (s : string) : option vfile :=
  match after c_processor s with
  | Some s1 =>
      let (targets, s2) := after_targets all_targets s1 in
      match after newline s2 with
      | Some s3 =>
          match after_opening s3 with
          | Some o =>
              match tokens (op_rest o) with
              | Some l =>
                  match pvfile (op_computed o) targets (List.length l) l with
                  | Some (f, []) => if opens_all o f then Some f else None
                  | _ => None
                  end
              | None => None
              end
          | None => None
          end
      | None => None
      end
  | None => None
  end.

(** ** What is certified *)

Record versions : Type := { vs_generic : source; vs_targets : list (target * source) }.

Definition sources (v : versions) : list source := vs_generic v :: map snd (vs_targets v).
Definition by_name (v : versions) : list (string * source) :=
  let name := kernel_name (vs_generic v) in
  (version_name name generic_word, vs_generic v) ::
  map (fun t => (version_name name (target_word (fst t)), snd t)) (vs_targets v).

Definition choice_of (v : versions) (t : target * source) : string * string :=
  (target_question (fst t), version_name (kernel_name (vs_generic v)) (target_word (fst t))).

(** What must fit whichever is called. *)
Definition all_limits (v : versions) : list size := flat_map limits (sources v).

Definition tests_of (v : versions) : list ctest :=
  let k := vs_generic v in
  tests (width (kernel_names k)) (List.length (size_names (kernel_names k))) (kernel_facts k) (all_limits v)
    (kernel_inputs k) (kernel_output k).

Definition vfile_of (v : versions) : vfile := {|
  vf_name := kernel_name (vs_generic v);
  vf_names := declared (kernel_names (vs_generic v));
  vf_scalars := map by_value (kernel_inputs (vs_generic v));
  vf_bodies := map (fun b => (fst b, file_body (file_of (snd b)))) (by_name v);
  (* the newest first *)
  vf_choices := rev (map (choice_of v) (vs_targets v));
  vf_otherwise := version_name (kernel_name (vs_generic v)) generic_word;
  vf_tests := tests_of v |}.

Definition interface (k : source) := (declared (kernel_names k), kernel_facts k, kernel_inputs k, kernel_output k).

Definition interface_eq_dec (a b : source) : {interface a = interface b} + {interface a <> interface b}.
Proof.
  unfold interface. decide equality; [apply ty_eq_dec|]. decide equality; [apply list_eq_dec, ty_eq_dec|].
  decide equality; [apply list_eq_dec; decide equality; apply size_eq_dec | apply names_eq_dec].
Defined.

(** Names that the opening has taken. *)
Definition questions : list string := map target_question all_targets.

Definition source_ok (name : string) (k : source) : bool :=
  has (infer (kernel_facts k) [] (kernel_inputs k) (kernel_term k)) (kernel_output k) &&
  fcomm_typed (program k) && arity_ok k && names_ok name (kernel_names k) &&
  forallb (fun s => negb (mem_string s questions)) (var_names (kernel_names k) ++ size_names (kernel_names k) ++
                                                    loop_names (kernel_names k)) &&
  typed (element_types (kernel_names k)) (S (List.length (kernel_inputs k))) (program k) &&
  nesting_ok false (program k).

Definition tests_enough_for (v : versions) : bool :=
  tests_enough (kernel_facts (vs_generic v)) (all_limits v) (kernel_inputs (vs_generic v)) (kernel_output (vs_generic v)).

Definition vfile_eq_dec (a b : vfile) : {a = b} + {a <> b}.
Proof.
  decide equality;
    [apply list_eq_dec, ctest_eq_dec | apply string_dec
    |apply list_eq_dec; decide equality; apply string_dec
    |apply list_eq_dec; decide equality; [apply fcomm_eq_dec | apply string_dec]
    |apply list_eq_dec, bool_dec | apply names_eq_dec | apply string_dec].
Defined.

Definition certifies_versions (v : versions) (text : string) : bool :=
  let name := kernel_name (vs_generic v) in
  forallb (fun k => source_ok name k && if interface_eq_dec k (vs_generic v) then true else false) (sources v) &&
  forallb (fun b => source_ok (fst b) (snd b)) (by_name v) &&
  distinct ([name; c_tried name; c_checked_name name] ++ questions ++ map fst (by_name v)) &&
  tests_enough_for v &&
  match parse_versions text with
  | Some f => if vfile_eq_dec f (vfile_of v) then true else false
  | None => false
  end.

Definition CertifiedVersions (v : versions) (text : string) : Prop :=
  parse_versions text = Some (vfile_of v) /\ tests_enough_for v = true /\
  (forall k, In k (sources v) -> interface k = interface (vs_generic v) /\ Computes k (file_body (file_of k))) /\
  forall yes, exists k, In k (sources v) /\ chosen (vfile_of v) yes = Some (file_body (file_of k)).

Lemma called_among yes choices otherwise :
  called_by yes choices otherwise = otherwise \/ In (called_by yes choices otherwise) (map snd choices).
Proof.
  induction choices as [|(question, f) more IHmore]; simpl; [auto|].
  destruct (yes question); [auto|]. destruct IHmore as [same|there]; auto.
Qed.

Lemma body_named_there f l : In f (map fst l) -> exists g c, In (g, c) l /\ body_named f l = Some c.
Proof.
  induction l as [|(g, c) l IHl]; simpl; [contradiction|]. intros there.
  destruct (String.eqb_spec f g) as [same|other]; [eauto 6|].
  destruct there as [same|there]; [congruence|]. destruct (IHl there) as (g1 & c1 & at_l & found). eauto 6.
Qed.

(** Whatever is asked and answered, the body of a version runs. *)
Lemma chosen_is_a_version v yes :
  exists k, In k (sources v) /\ chosen (vfile_of v) yes = Some (file_body (file_of k)).
Proof.
  assert (among : In (called_by yes (vf_choices (vfile_of v)) (vf_otherwise (vfile_of v)))
                    (map fst (vf_bodies (vfile_of v)))).
  { destruct (called_among yes (vf_choices (vfile_of v)) (vf_otherwise (vfile_of v))) as [same|there].
    - rewrite same. left. reflexivity.
    - revert there. unfold vfile_of, by_name. simpl. rewrite map_rev, <- in_rev, !map_map. simpl. auto. }
  destruct (body_named_there _ _ among) as (g & c & at_bodies & found).
  apply in_map_iff in at_bodies as ((g1 & k) & same & at_names). simpl in same. injection same as _ same. subst c.
  exists k. split; [|exact found].
  destruct at_names as [same|there]; [left; congruence | right].
  apply in_map_iff in there as (t & same & there). injection same as _ same. subst k. apply in_map, there.
Qed.

Theorem certifies_versions_sound v text : certifies_versions v text = true -> CertifiedVersions v text.
Proof.
  unfold certifies_versions. intros checked.
  apply andb_true_iff in checked as [checked reads].
  apply andb_true_iff in checked as [checked enough].
  do 2 apply andb_true_iff in checked as [checked _].
  destruct (parse_versions text) as [f|] eqn:parsed; [|discriminate reads].
  destruct (vfile_eq_dec f (vfile_of v)) as [same|]; [|discriminate reads].
  split; [congruence|]. split; [exact enough|]. split; [|intros yes; apply chosen_is_a_version].
  intros k k_in. rewrite forallb_forall in checked. specialize (checked k k_in).
  apply andb_true_iff in checked as [ok same_interface].
  split; [destruct (interface_eq_dec k (vs_generic v)); [assumption | discriminate same_interface]|].
  unfold source_ok in ok. rewrite !andb_true_iff in ok. destruct ok as ((((((typed & flat) & _) & _) & _) & _) & _).
  apply canonical_computes, program_computes; assumption.
Qed.

(** In every call, whatever the processor answers and under every interleaving, the output is what the
    kernel is; nothing else changes; no access is out of bounds, and no index overflows. *)
Theorem versions_index ik v text : CertifiedVersions v text -> Forall (ComputesIndex ik) (sources v) ->
  exists f, parse_versions text = Some f /\
  forall yes, exists c, chosen f yes = Some c /\
  forall sg, facts_hold sg (ik_facts ik) -> Forall (fits sg) (all_limits v) ->
  let r := List.length (ik_inputs ik) in
  let d := array_ty (st_extents (ik_output ik)) in
  let D := ty_val sg d in
  forall K junk ie m,
  (exists t, behaves sg K junk c ie t) /\
  forall t, behaves sg K junk c ie t ->
  (forall indices, below sg indices (st_extents (ik_output ik)) -> inb D (map Ix indices) ->
     run K t m r (place_of D (map Ix indices)) =
     ikernel_val sg K (map (tensor_of K) (input_values sg K (ik_inputs ik) m)) ik indices) /\
  (forall v a, ~ (v = r /\ a < cells D) -> run K t m v a = m v a) /\
  fcomm_safe sg (extent sg (kernel_types (ik_inputs ik) d)) c ie /\
  fcomm_int64 sg c ie.
Proof.
  intros (parsed & _ & COMPUTES & CHOSEN) INDEX. exists (vfile_of v). split; [exact parsed|].
  intros yes. destruct (CHOSEN yes) as (k & k_in & is_k). exists (file_body (file_of k)). split; [exact is_k|].
  rewrite Forall_forall in INDEX. destruct (INDEX k k_in) as (facts & inputs & output & VALUE).
  destruct (COMPUTES k k_in) as [_ RIGHT].
  intros sg FACTS small r d D K junk ie m. split; [apply behaves_exists|]. intros t RUNS.
  rewrite <- facts in FACTS. destruct (RIGHT sg FACTS K junk ie m t RUNS) as (result & frame & SAFE & exact_if).
  rewrite facts in FACTS. subst r d D. rewrite <- inputs, <- output.
  split; [|split; [exact frame|]; split; [exact SAFE|]].
  - intros indices INSIDE inside. rewrite (result _ inside). apply (VALUE sg FACTS), INSIDE.
  - apply exact_if. rewrite Forall_forall in *. intros l l_in. apply small. unfold all_limits.
    apply in_flat_map. exists k. auto.
Qed.

(** So what the processor answers changes no bit. *)
Theorem versions_agree ik v text : CertifiedVersions v text -> Forall (ComputesIndex ik) (sources v) ->
  exists f, parse_versions text = Some f /\
  forall yes1 yes2, exists c1 c2, chosen f yes1 = Some c1 /\ chosen f yes2 = Some c2 /\
  forall sg, facts_hold sg (ik_facts ik) -> Forall (fits sg) (all_limits v) ->
  let D := ty_val sg (array_ty (st_extents (ik_output ik))) in
  forall K junk1 junk2 ie1 ie2 m t1 t2, behaves sg K junk1 c1 ie1 t1 -> behaves sg K junk2 c2 ie2 t2 ->
  forall indices, below sg indices (st_extents (ik_output ik)) -> inb D (map Ix indices) ->
  run K t1 m (List.length (ik_inputs ik)) (place_of D (map Ix indices)) =
  run K t2 m (List.length (ik_inputs ik)) (place_of D (map Ix indices)).
Proof.
  intros CERTIFIED INDEX. destruct (versions_index ik v text CERTIFIED INDEX) as (f & parsed & MEANS).
  exists f. split; [exact parsed|]. intros yes1 yes2.
  destruct (MEANS yes1) as (c1 & is1 & MEANS1). destruct (MEANS yes2) as (c2 & is2 & MEANS2).
  exists c1, c2. split; [exact is1|]. split; [exact is2|].
  intros sg FACTS small D K junk1 junk2 ie1 ie2 m t1 t2 RUNS1 RUNS2 indices INSIDE inside.
  destruct (MEANS1 sg FACTS small K junk1 ie1 m) as [_ VALUE1]. destruct (VALUE1 t1 RUNS1) as [value1 _].
  destruct (MEANS2 sg FACTS small K junk2 ie2 m) as [_ VALUE2]. destruct (VALUE2 t2 RUNS2) as [value2 _].
  etransitivity; [exact (value1 indices INSIDE inside) | symmetry; exact (value2 indices INSIDE inside)].
Qed.

(** Some sizes satisfy all that any version assumes. *)
Theorem versions_satisfiable v w : forallb (fun k => certify.Witness.witness_ok k w) (sources v) = true ->
  Forall certify.Witness.Satisfiable (sources v).
Proof.
  intros checked. apply Forall_forall. intros k k_in. rewrite forallb_forall in checked.
  exact (certify.Witness.witness_sound k w (checked k k_in)).
Qed.

(** The listed limits are all that has to stay below 2^63, whichever is called. *)
Theorem versions_limited v listed : forallb (fun k => certify.Witness.limits_among k listed) (sources v) = true ->
  forall sg, Forall (fun k => facts_hold sg (kernel_facts k)) (sources v) -> Forall (fits sg) listed ->
  Forall (fits sg) (all_limits v).
Proof.
  intros checked sg FACTS small. rewrite forallb_forall in checked. rewrite Forall_forall in FACTS.
  apply Forall_forall. intros l l_in. apply in_flat_map in l_in as (k & k_in & l_in).
  pose proof (certify.Witness.limits_among_sound k listed (checked k k_in) sg (FACTS k k_in) small) as ALL.
  rewrite Forall_forall in ALL. exact (ALL l l_in).
Qed.

(** Where the tests of the checked form are passed, sizes are such as all versions assume, arrays that have
    elements are there, and the output shares no byte with an input. *)
Theorem versions_tests v text : CertifiedVersions v text ->
  exists f, parse_versions text = Some f /\
  let k := vs_generic v in
  forall sz at_address, (forall v, - max_int64 <= sz v < max_int64)%Z ->
  (forall v, List.length (size_names (kernel_names k)) <= v -> sz v = 0%Z) ->
  outcome sz at_address (vf_tests f) = 0%N ->
  let sg := natural sz in
  let r := List.length (kernel_inputs k) in
  let bytes v d := (Z.of_N (width (kernel_names k) v) * Z.of_nat (size_val sg (ty_size d)))%Z in
  (forall v, 0 <= sz v)%Z /\ facts_hold sg (kernel_facts k) /\ Forall (fits sg) (all_limits v) /\
  forall w d, In (w, d) (arrays (kernel_inputs k) ++ [(r, kernel_output k)]) ->
  (0 < bytes w d -> at_address w <> 0)%Z /\
  (In (w, d) (arrays (kernel_inputs k)) -> 0 < bytes w d -> 0 < bytes r (kernel_output k) ->
   at_address w + bytes w d <= at_address r \/
   at_address r + bytes r (kernel_output k) <= at_address w)%Z.
Proof.
  intros (parsed & enough & _). exists (vfile_of v). split; [exact parsed|]. intros k sz at_address range none passed.
  exact (outcome_passed_means (width (kernel_names k)) _ _ _ _ _ sz at_address
           (width_small (kernel_names k)) enough range none passed).
Qed.
